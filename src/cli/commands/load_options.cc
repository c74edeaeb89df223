// How `hone load` is asked: what each option means, and the pool and slice that come of them.
#include "cli/commands/load_options.h"

#include <algorithm>

#include "base/random.h"
#include "base/units.h"
#include "subject/url.h"
#include "system/cpus.h"
#include "traffic/load/request_list.h"

namespace hone::cli {
namespace {

using traffic::load::PoolSpec;
using traffic::load::SliceSpec;

// Of a ramp, each with figures of its own: enough to see where a latency bends.
constexpr int kRampParts = 10;

constexpr std::uint64_t kChurnPurpose = 2;  // 1 is the warm-up's

Result<traffic::wire::Request> make_request(const LoadArguments& arguments, const subject::Url& url,
                                            system::System& system) {
  traffic::wire::Request request;
  request.method = arguments.method;
  request.scheme = url.tls ? "https" : "http";
  const std::uint16_t usual = url.tls ? 443 : 80;
  const system::net::Address named{url.host, url.port};
  request.authority = to_string(named);
  if (url.port == usual) request.authority.resize(request.authority.rfind(':'));
  request.path = url.path;
  for (const std::string& text : arguments.headers) {
    HONE_TRY(auto header, traffic::load::parse_header(text));
    traffic::load::add_header(&request, std::move(header));
  }
  if (!arguments.body_file.empty()) {
    HONE_TRY(request.body, system.files->read(arguments.body_file));
  } else {
    request.body = traffic::load::body_of(static_cast<std::size_t>(arguments.body_size));
  }
  HONE_CHECK(traffic::load::check_request(request));
  return request;
}

Result<std::vector<traffic::load::RequestShare>> make_requests(const LoadArguments& arguments,
                                                               const subject::Url& url,
                                                               system::System& system) {
  HONE_TRY(traffic::wire::Request request, make_request(arguments, url, system));
  if (arguments.requests_file.empty()) {
    return std::vector<traffic::load::RequestShare>{{std::move(request), 1, {}}};
  }
  HONE_TRY(const std::string text, system.files->read(arguments.requests_file));
  return traffic::load::parse_request_list(text, arguments.requests_file, request);
}

// A rate, several of them, a ramp, or none.
Status set_rate(const LoadArguments& arguments, SliceSpec* slice) {
  HONE_TRY(slice->duration_s, parse_duration_s(arguments.duration));
  slice->closed_loop = arguments.closed_loop;
  if (arguments.closed_loop) return {};
  if (!arguments.ramp.empty()) {
    HONE_TRY(auto phases, traffic::load::parse_ramp(arguments.ramp, slice->duration_s, kRampParts));
    set_phases(slice, std::move(phases));
    return {};
  }
  if (arguments.rate.empty()) {
    return fail(ErrorKind::kUsage, "how many requests per second?",
                "give --rate R, --ramp FROM:TO, or --closed-loop for as many as are answered");
  }
  // A step without a length of its own: the duration is for all of them.
  const auto steps = std::count(arguments.rate.begin(), arguments.rate.end(), ',') + 1;
  double step_s = slice->duration_s / static_cast<double>(steps);
  if (!arguments.step.empty()) {
    HONE_TRY(step_s, parse_duration_s(arguments.step));
  }
  HONE_TRY(auto phases, traffic::load::parse_steps(arguments.rate, step_s));
  if (steps > 1) {
    set_phases(slice, std::move(phases));
  } else {
    slice->rate = phases.front().from;
    slice->duration_s = step_s;
  }
  return {};
}

Result<std::string> read_authorities(const std::string& file, system::System& system) {
  HONE_TRY(std::string pem, system.files->read(file));
  // Of nothing, the load would take the system's.
  if (!trim(pem).empty()) return pem;
  return fail(ErrorKind::kUsage, "--cacert: " + file + " is empty",
              "give a file of PEM certificates");
}

}  // namespace

Result<PoolSpec> make_pool(const LoadArguments& arguments, system::System& system) {
  HONE_TRY(const subject::Url url, subject::parse_url(arguments.url));
  PoolSpec pool;
  HONE_TRY(pool.requests, make_requests(arguments, url, system));
  HONE_TRY(pool.target.protocol, traffic::wire::parse_protocol(arguments.protocol));
  system::net::Address peer{url.host, url.port};
  if (!arguments.connect.empty()) {
    HONE_TRY(peer, system::net::split_host_port(arguments.connect));
  }
  HONE_TRY(const auto addresses, system::net::resolve_all(peer.host, peer.port));
  pool.target.address = addresses.front();
  pool.target.other_addresses.assign(addresses.begin() + 1, addresses.end());
  pool.target.tls = url.tls;
  pool.target.verify = !arguments.insecure;
  if (!arguments.cacert.empty()) {
    HONE_TRY(pool.target.ca_pem, read_authorities(arguments.cacert, system));
  }
  pool.target.sni = arguments.sni.empty() ? url.host : arguments.sni;
  pool.connections = arguments.connections;
  pool.streams = arguments.streams;
  pool.requests_per_connection = arguments.requests_per_connection;
  HONE_TRY(pool.connection_lifetime_s, parse_duration_s(arguments.connection_lifetime));
  pool.resume = arguments.resume;
  pool.churn_seed = derive_seed(arguments.seed, kChurnPurpose);
  HONE_TRY(pool.timeout_s, parse_duration_s(arguments.timeout));
  return pool;
}

Result<SliceSpec> make_slice(const LoadArguments& arguments) {
  SliceSpec slice;
  HONE_CHECK(set_rate(arguments, &slice));
  HONE_TRY(slice.arrivals, traffic::load::parse_arrivals(arguments.arrivals));
  slice.seed = arguments.seed;
  slice.spin = arguments.spin;
  return slice;
}

Result<LoadThreads> start_threads(const LoadArguments& arguments) {
  std::vector<int> cpus;
  if (!arguments.cpus.empty()) {
    HONE_TRY(cpus, system::parse_cpu_list(arguments.cpus));
  }
  const auto count = static_cast<std::size_t>(arguments.threads);
  LoadThreads threads;
  for (std::size_t i = 0; i < count; ++i) {
    const bool own = cpus.size() >= count;
    HONE_TRY(auto thread, system::net::LoopThread::start(own ? std::vector<int>{cpus[i]} : cpus));
    threads.push_back(std::move(thread));
  }
  return threads;
}

std::vector<system::net::LoopThread*> loops_of(const LoadThreads& threads) {
  std::vector<system::net::LoopThread*> loops;
  for (const auto& thread : threads) loops.push_back(thread.get());
  return loops;
}

namespace {

void add_traffic_options(CLI::App* verb, LoadArguments* a) {
  auto* rate = verb->add_option("--rate", a->rate,
                                "requests per second, over all connections; several one after the "
                                "other as 1000,2000,4000");
  auto* step =
      verb->add_option("--step", a->step, "how long each of several rates is held")->needs(rate);
  verb->add_option("--ramp", a->ramp, "FROM:TO, a rate that changes evenly over the duration")
      ->excludes(rate);
  verb->add_option("--duration", a->duration, "measured time, as 10, 10s or 500ms")
      ->excludes(step)
      ->capture_default_str();
  verb->add_option("--warm-up", a->warm_up, "the same load before that, not measured")
      ->capture_default_str();
  verb->add_option("--arrivals", a->arrivals, "even, even:strict, poisson or burst:N")
      ->capture_default_str();
  verb->add_option("--seed", a->seed, "of the arrivals, the mix and the churn")
      ->capture_default_str();
  verb->add_flag("--closed-loop", a->closed_loop,
                 "no rate: each free slot sends at once (for ceilings; its latency flatters)");
  verb->add_flag("--spin", a->spin, "never sleep between sends: takes a whole CPU");
  verb->add_option("--timeout", a->timeout, "of a request, from its due time")
      ->capture_default_str();
  verb->add_option("--threads", a->threads, "interleaved in phase, connections split between them")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option("--cpus", a->cpus, "where the threads run, as 0-3,6");
}

void add_connection_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--connections", a->connections, "all are up before the clock starts")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  verb->add_option("--protocol", a->protocol,
                   "h1, h2, h3 (https only), or grpc: unary calls, the body is the message")
      ->check(CLI::IsMember({"h1", "h2", "h3", "grpc"}))
      ->capture_default_str();
  verb->add_option("--streams", a->streams, "HTTP/2 or 3 requests open at once on a connection")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  auto* requests = verb->add_option("--requests-per-connection", a->requests_per_connection,
                                    "then it is closed and made again; 0: it is kept")
                       ->check(CLI::Range(0, 1000000000))
                       ->capture_default_str();
  auto* lifetime =
      verb->add_option(
              "--connection-lifetime", a->connection_lifetime,
              "then it is closed, once what is open on it has ended, and made again; 0: it is "
              "kept")
          ->capture_default_str();
  auto* pid = verb->add_option("--server-pid", a->server_pid,
                               "process of the server here: dial until each of its workers holds "
                               "as many connections")
                  ->check(CLI::PositiveNumber);
  verb->add_option("--server-workers", a->server_workers, "how many workers it has")
      ->check(CLI::Range(1, 1024))
      ->needs(pid);
  // Connections that are made anew sit where the server puts them.
  pid->needs("--server-workers")->excludes(requests)->excludes(lifetime);
  verb->add_option("--resume", a->resume,
                   "share of the new TLS connections that offer to resume a session, 0 to 1")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  auto* insecure = verb->add_flag("--insecure", a->insecure, "do not verify the certificate");
  verb->add_option("--cacert", a->cacert, "PEM file of trusted certificates")
      ->check(CLI::ExistingFile)
      ->excludes(insecure);
  verb->add_option("--sni", a->sni, "server name sent and verified, instead of the URL's host");
  verb->add_option("--connect", a->connect,
                   "HOST:PORT or unix:/PATH to connect to, whatever the URL says");
}

void add_request_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--method", a->method, "GET, HEAD, POST, ...")->capture_default_str();
  // One value each time, or the URL after it would be taken for another header.
  verb->add_option("--header", a->headers, "'Name: value'; may be given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  auto* size = verb->add_option("--body-size", a->body_size, "bytes of request body")
                   ->check(CLI::Range(0LL, traffic::load::kLargestBody));
  auto* body = verb->add_option("--body", a->body_file, "file with the request body")
                   ->check(CLI::ExistingFile)
                   ->excludes(size);
  verb->add_option("--requests", a->requests_file,
                   "file with a request mix: a JSON object a line, with method, path, headers, "
                   "body or body_size, share and name")
      ->check(CLI::ExistingFile)
      ->excludes(size)
      ->excludes(body);
}

void add_output_options(CLI::App* verb, LoadArguments* a) {
  verb->add_option("--percentiles", a->percentiles_file,
                   "write the latencies there in HdrHistogram's percentile format");
  verb->add_flag("--json", a->json, "print JSON");
  verb->add_flag("--control", a->control,
                 "no URL: do what the JSON lines on standard input ask, and answer on standard "
                 "output (docs/load.md); ends with its input");
}

}  // namespace

void add_load_options(CLI::App* verb, LoadArguments* arguments) {
  verb->add_option("URL", arguments->url, "http:// or https://");
  add_traffic_options(verb, arguments);
  add_connection_options(verb, arguments);
  add_request_options(verb, arguments);
  add_output_options(verb, arguments);
}

}  // namespace hone::cli
