#include "cli/commands/load_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/units.h"

namespace hone::cli {
namespace {

using traffic::load::Histogram;
using traffic::load::LatencySummary;
using traffic::load::SliceResult;
using traffic::load::StepResult;

// More rows than a screen has are for --json.
constexpr std::size_t kRows = 20;

template <typename... Args>
void add_line(std::string* text, fmt::format_string<Args...> form, Args&&... args) {
  fmt::format_to(std::back_inserter(*text), form, std::forward<Args>(args)...);
  *text += '\n';
}

std::string share_of(std::uint64_t part, std::uint64_t whole) {
  return format_percent(whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole));
}

std::string load_text(const LoadArguments& arguments, const SliceResult& r) {
  if (arguments.closed_loop) return "closed loop";
  const std::string rate = !arguments.ramp.empty() ? "a ramp of " + arguments.ramp
                           : r.steps.empty()       ? fmt::format("{:g}", r.target_rate)
                                                   : arguments.rate;
  return fmt::format("{} requests/s {}, seed {}", rate, arguments.arrivals, arguments.seed);
}

void add_counts(std::string* text, const SliceResult& r) {
  add_line(text, "  scheduled {} = sent {} + missed {} + expired {}   (blocked {})",
           format_count(r.scheduled), format_count(r.sent), format_count(r.missed),
           format_count(r.expired), format_count(r.blocked));
  add_line(text,
           "  sent {} = ok {} + bad status {} + reset {} + timeout {} + connection error {} + "
           "unfinished {}",
           format_count(r.sent), format_count(r.ok), format_count(r.bad_status),
           format_count(r.reset), format_count(r.timeout), format_count(r.connection_error),
           format_count(r.unfinished));
  for (const auto& [code, count] : r.status) {
    add_line(text, "  status {}: {}", code, format_count(count));
  }
  for (const auto& [why, count] : r.failures) {
    add_line(text, "  lost, {}: {}", why, format_count(count));
  }
  for (const auto& [why, count] : r.connection_failures) {
    add_line(text, "  connections ended, {}: {}", why, format_count(count));
  }
}

void add_mix(std::string* text, const SliceResult& r) {
  add_line(text, "\n  {:<32} {:>8} {:>8} {:>12} {:>12}", "request", "share", "of sent", "sent",
           "ok");
  for (std::size_t i = 0; i < std::min(r.requests.size(), kRows); ++i) {
    const auto& request = r.requests[i];
    add_line(text, "  {:<32.32} {:>8} {:>8} {:>12} {:>12}", request.name,
             format_percent(request.share), share_of(request.sent, r.sent),
             format_count(request.sent), format_count(request.ok));
  }
  if (r.requests.size() > kRows) {
    add_line(text, "  ... and {} more: see --json", r.requests.size() - kRows);
  }
}

void add_steps(std::string* text, const SliceResult& r) {
  add_line(text, "\n  {:>8} {:>19} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10}", "from s",
           "requests/s", "achieved", "ok", "errors", "p50 us", "p99 us", "max us");
  for (std::size_t i = 0; i < std::min(r.steps.size(), kRows); ++i) {
    const StepResult& step = r.steps[i];
    const LatencySummary s = summarise(step.latency);
    const std::string rate = step.phase.from == step.phase.to
                                 ? fmt::format("{:g}", step.phase.from)
                                 : fmt::format("{:.6g} to {:.6g}", step.phase.from, step.phase.to);
    add_line(text, "  {:>8.1f} {:>19} {:>10.1f} {:>10} {:>8} {:>10.1f} {:>10.1f} {:>10.1f}",
             step.begin_s, rate, step.achieved_rate(), format_count(step.counts.ok),
             format_count(step.counts.errors + step.counts.expired), s.p50, s.p99, s.max);
  }
  if (r.steps.size() > kRows) {
    add_line(text, "  ... and {} more: see --json", r.steps.size() - kRows);
  }
}

void add_row(std::string* text, const char* name, const Histogram& histogram) {
  const LatencySummary s = summarise(histogram);
  add_line(text, "  {:<18} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f}", name,
           s.p50, s.p90, s.p99, s.p999, s.max, s.mean);
}

void add_times(std::string* text, const SliceResult& r) {
  add_line(text, "\n  {:<18} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}", "us", "p50", "p90", "p99",
           "p99.9", "max", "mean");
  add_row(text, "latency", r.latency);
  add_row(text, "service", r.service);
  add_row(text, "lateness", r.lateness);
  add_row(text, "generator lateness", r.generator_lateness);
  add_row(text, "connecting", r.connecting);
}

}  // namespace

std::string histogram_text(const Histogram& histogram, int width) {
  struct Row {
    double from_us, to_us;
    std::uint64_t count;
  };
  std::vector<Row> rows{{0, 1, 0}};
  int step = 0;  // of 1, 2, 5
  std::uint64_t most = 0;
  for (const Histogram::Bucket& bucket : histogram.filled()) {
    while (static_cast<double>(bucket.value_ns) * 1e-3 >= rows.back().to_us) {
      const double from = rows.back().to_us;
      if (most == 0) rows.clear();  // nothing below the first value
      rows.push_back({from, from * (step == 1 ? 2.5 : 2), 0});
      step = (step + 1) % 3;
    }
    rows.back().count += bucket.count;
    most = std::max(most, rows.back().count);
  }
  if (most == 0) return {};
  std::string text;
  for (const Row& row : rows) {
    const double part = static_cast<double>(row.count) / static_cast<double>(most);
    // What is there at all is seen.
    const auto bar = row.count == 0 ? 0 : std::max(1, static_cast<int>(part * width + 0.5));
    add_line(&text, "  {:>10.10g} to {:<10.10g} {:>12} {:>7} {}", row.from_us, row.to_us,
             format_count(row.count), share_of(row.count, histogram.count()),
             std::string(static_cast<std::size_t>(bar), '#'));
  }
  return text;
}

std::string load_summary(const LoadArguments& arguments, const SliceResult& r) {
  // Beside the columns of the histogram it fits a terminal of 80.
  constexpr int kBarWidth = 32;
  std::string text;
  const std::string method = arguments.protocol == "grpc" ? "POST" : arguments.method;
  const std::string what =
      arguments.requests_file.empty() ? method : arguments.requests_file + " to";
  add_line(&text, "{} {} with {}, {} connections, {}", what, arguments.url, arguments.protocol,
           arguments.connections, load_text(arguments, r));
  add_line(&text, "  achieved {:.1f} requests/s over {}{}", r.achieved_rate,
           format_duration(r.duration_s), r.interrupted ? ", then interrupted" : "");
  add_counts(&text, r);
  add_line(&text,
           "  per connection {} to {} scheduled; {} connections made, {} full and {} resumed "
           "handshakes",
           format_count(r.per_connection_min), format_count(r.per_connection_max),
           format_count(r.connections_made), format_count(r.handshakes_full),
           format_count(r.handshakes_resumed));
  add_line(&text, "  {} in, {} out", format_bytes(static_cast<double>(r.bytes_in)),
           format_bytes(static_cast<double>(r.bytes_out)));
  if (r.requests.size() > 1) add_mix(&text, r);
  if (!r.steps.empty()) add_steps(&text, r);
  add_times(&text, r);
  add_line(&text, "\n  latency, us");
  text += histogram_text(r.latency, kBarWidth);
  const double sent = r.sent == 0 ? 1 : static_cast<double>(r.sent);
  add_line(&text,
           "\n  client: {:.1f} us CPU and {:.2f} wakes per request, {}; {:.1f} requests per "
           "release",
           r.client_cpu_s * 1e6 / sent, static_cast<double>(r.client_wakes) / sent,
           arguments.spin ? "spinning between sends" : "asleep between sends",
           r.release_turns == 0 ? 0 : sent / static_cast<double>(r.release_turns));
  return text;
}

}  // namespace hone::cli
