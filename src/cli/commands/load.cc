// The exit status is 0 when the counts add up and at least one request was answered well: whether a
// rate was reached or a latency is good is for whoever reads the figures. Ctrl-C ends the measured
// time early: its figures are printed, and the status says that they are not all.
#include "cli/commands/load.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/random.h"
#include "base/units.h"
#include "cli/commands/load_control.h"
#include "cli/commands/load_options.h"
#include "cli/commands/load_report.h"
#include "cli/commands/load_workers.h"
#include "cli/console.h"
#include "system/terminal.h"
#include "traffic/load/load_session.h"
#include "traffic/load/percentiles.h"

namespace hone::cli {
namespace {

using traffic::load::PoolSpec;
using traffic::load::SliceResult;
using traffic::load::SliceSpec;

constexpr const char* kLoadExamples =
    "Open loop: request i is due at its time on connection i mod N whatever the server does, and\n"
    "latency runs from that time. missed: the generator's own fault (over 10 ms late, not sent);\n"
    "blocked: the connection was still busy, the request waited with its due time.\n"
    "\n"
    "Examples:\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --duration 10\n"
    "  hone load https://localhost:8443/ --rate 2000 --protocol h2 --insecure --warm-up 2\n"
    "  hone load https://localhost:8443/ --rate 2000 --protocol h3 --cacert cert.pem\n"
    "  hone load http://127.0.0.1:8080/package.Service/Method --protocol grpc --body message.bin "
    "\\\n"
    "      --rate 1000\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --arrivals burst:16 --json\n"
    "  hone load http://127.0.0.1:8080/ --rate 8000 --requests mix.jsonl\n"
    "  hone load http://127.0.0.1:8080/ --rate 1000,2000,4000 --step 5\n"
    "  hone load http://127.0.0.1:8080/ --ramp 100:8000 --duration 30 --percentiles ramp.hgrm\n"
    "  hone load https://localhost:8443/ --rate 500 --requests-per-connection 1 --resume 0.5\n"
    "  hone load http://127.0.0.1:8080/ --closed-loop --connections 64 --threads 2\n";

// On a terminal only: elsewhere the summary at the end is what a reader wants.
void show_progress(Console* console, traffic::load::LoadSession* session, const char* what) {
  session->watch([console, what](const traffic::load::SliceProgress& p) {
    console->progress(fmt::format("{}: sent {}, ok {}, not ok {}", what, format_count(p.sent),
                                  format_count(p.ok), format_count(p.ended - p.ok)),
                      p.elapsed_s, p.duration_s);
  });
}

// Connecting is not measured, but how it went belongs to the run.
void add_connecting(SliceResult* result, const SliceResult& before) {
  result->connections_made += before.connections_made;
  result->handshakes_full += before.handshakes_full;
  result->handshakes_resumed += before.handshakes_resumed;
  result->handshakes_offered += before.handshakes_offered;
  result->connecting.merge(before.connecting);
  for (const auto& [why, count] : before.connection_failures) {
    result->connection_failures[why] += count;
  }
}

Result<SliceResult> measure(const LoadArguments& arguments, system::System& system,
                            std::optional<subject::WorkerSpread>* workers) {
  HONE_TRY(const PoolSpec pool_spec, make_pool(arguments, system));
  HONE_TRY(SliceSpec slice, make_slice(arguments));
  HONE_TRY(const double warm_up_s, parse_duration_s(arguments.warm_up));
  HONE_TRY(const auto threads, start_threads(arguments));
  const auto session = traffic::load::make_in_process(loops_of(threads));
  constexpr int kStderr = 2;
  Console console(system.clock.get(), arguments.json || !system::is_terminal(kStderr));
  std::optional<LoadWorkers> spreader;
  if (arguments.server_pid != 0) {
    spreader.emplace(arguments, pool_spec, session.get(), system);
    HONE_CHECK(spreader->check());
  }
  HONE_TRY(const auto pool, session->connect(pool_spec));
  if (spreader) HONE_CHECK(spreader->even_out(pool));
  SliceResult warm;
  if (warm_up_s > 0) {
    SliceSpec first = slice;
    first.duration_s = warm_up_s;
    if (!first.phases.empty()) {
      traffic::load::RatePhase beginning = slice.phases.front();
      beginning.duration_s = warm_up_s;
      set_phases(&first, {beginning});
    }
    first.seed = derive_seed(slice.seed, 1);
    show_progress(&console, session.get(), "warm-up");
    HONE_TRY(warm, session->slice(pool, first));
  }
  slice.keep_interrupted = true;
  show_progress(&console, session.get(), "load");
  HONE_TRY(SliceResult result, session->slice(pool, slice));
  add_connecting(&result, warm);
  if (spreader) {
    HONE_TRY(*workers, spreader->read(pool));
    add_connecting(&result, spreader->asked());
  }
  return result;
}

int run_load(const LoadArguments& arguments, system::System& system) {
  if (arguments.control != arguments.url.empty()) {
    return report_error(fail(ErrorKind::kUsage,
                             arguments.control ? "a URL beside --control" : "load on what?",
                             "give a URL, or --control alone for a program that gives its own")
                            .value());
  }
  if (arguments.control) return run_load_control(arguments);
  std::optional<subject::WorkerSpread> workers;
  const Result<SliceResult> result = measure(arguments, system, &workers);
  if (!result) return report_error(result.error());
  if (arguments.json) {
    Json json = to_json(*result);
    json["arrivals"] = arguments.closed_loop ? "closed-loop" : arguments.arrivals;
    json["seed"] = arguments.seed;
    if (workers) json["workers"] = *workers;
    json["waiting"] = arguments.spin ? "spinning" : "sleeping";
    std::fputs(dump(json).c_str(), stdout);
  } else {
    std::fputs(load_summary(arguments, *result).c_str(), stdout);
    if (workers) {
      fmt::print("  connections on the server's workers: {} ({} dialled again)\n",
                 to_string(*workers), workers->redialled);
    }
  }
  if (!arguments.percentiles_file.empty()) {
    const Status written = system.files->write(arguments.percentiles_file,
                                               traffic::load::percentile_text(result->latency));
    if (!written) return report_error(written.error());
  }
  if (result->interrupted) return exit_code(ErrorKind::kInterrupted);
  if (result->ok > 0) return 0;
  return report_error(fail(ErrorKind::kNetwork, "no request was answered well",
                           "see the counts above: which status, or how the requests were lost")
                          .value());
}

}  // namespace

void add_load(CLI::App& app, system::System& system, int* exit_code) {
  auto* verb = app.add_subcommand("load", "requests at a set rate, and what became of each");
  auto arguments = std::make_shared<LoadArguments>();
  add_load_options(verb, arguments.get());
  verb->footer(kLoadExamples);
  verb->callback([arguments, &system, exit_code] { *exit_code = run_load(*arguments, system); });
}

}  // namespace hone::cli
