// Where the first word of a command has a slash it is a binary of the user's own: it is copied to a
// fresh inode each time it starts, as the proof of a recipe does it. A program found through PATH
// is left where it is, since it may look beside itself for its parts.
#include "cli/commands/command_arms.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/text.h"
#include "measure/machine/machine.h"
#include "pipeline/pipeline.h"
#include "subject/signals.h"
#include "system/cpus.h"

namespace hone::cli {
namespace {

// Thirty blocks, of some 25 s a round: two to three hours for one shape at one load.
constexpr std::size_t kMostCandidates = 60;

Result<pipeline::Arm> make_arm(const CommandArms& arguments, const std::string& name,
                               const std::string& command, const std::string& url,
                               system::System& system) {
  const std::string option = name == "A" ? "--a" : "--b";
  pipeline::Arm arm;
  arm.name = name;
  arm.variant = command;
  arm.url = url;
  HONE_TRY(arm.server.command, shell_split(command));
  if (arm.server.command.empty()) {
    return fail(ErrorKind::kUsage, "the command of arm " + name + " is empty",
                option + " 'SERVER --port {port}'");
  }
  std::string& program = arm.server.command.front();
  const auto found = system.processes->find_program(program);
  if (!found) {
    return fail(
        ErrorKind::kToolMissing,
        "'" + program + "', of arm " + name + ", is not an executable file or a program in PATH",
        "check the command given to " + option);
  }
  HONE_TRY(arm.sha256, system.files->sha256(*found));
  HONE_TRY(arm.files, pipeline::hash_named_files(arm.server.command, *system.files));
  if (program.find('/') != std::string::npos) {
    arm.binary = std::filesystem::absolute(*found).string();
    program = "{binary}";
  }
  arm.server.workers = arguments.workers;
  arm.server.ready.http = arguments.ready;
  arm.server.ready.limit_s = arguments.ready_timeout_s;
  arm.server.stop.signal = arguments.stop_signal;
  return arm;
}

// Found wrong by the first stop otherwise, when the first round is over.
Status check_stop_signal(const std::string& name) {
  if (subject::signal_number(name) != 0) return {};
  return fail(ErrorKind::kUsage, "--stop-signal: '" + name + "' is not the name of a signal",
              "known: " + join(subject::known_signals(), ", "));
}

Status check_candidates(const CommandArms& arguments) {
  const std::size_t candidates = arguments.b.size();
  if (candidates > kMostCandidates) {
    return fail(ErrorKind::kUsage,
                fmt::format("{} commands for --b: at most {} are compared at once", candidates,
                            kMostCandidates),
                "compare them in parts, each with the same --a");
  }
  const std::size_t urls = arguments.b_urls.size();
  if (urls > 1 && urls != candidates) {
    return fail(ErrorKind::kUsage,
                fmt::format("--url-b is given {} times for {} of --b", urls, candidates),
                "once for all of them, or once for each, in their order");
  }
  const std::size_t labels = arguments.b_labels.size();
  if (labels > 0 && labels != candidates) {
    return fail(ErrorKind::kUsage,
                fmt::format("--name-b is given {} times for {} of --b", labels, candidates),
                "once for each, in their order, or not at all");
  }
  return {};
}

// One value each time it is given.
CLI::Option* each(CLI::Option* option) {
  return option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

Result<pipeline::Cpus> wanted_cpus(const CommandArms& arguments) {
  pipeline::Cpus wanted;
  if (!arguments.cpus_server.empty()) {
    HONE_TRY(wanted.server, system::parse_cpu_list(arguments.cpus_server));
  }
  if (!arguments.cpus_load.empty()) {
    HONE_TRY(wanted.load, system::parse_cpu_list(arguments.cpus_load));
  }
  if (arguments.cpus_origin.empty()) return wanted;
  HONE_TRY(const auto origin, system::parse_cpu_list(arguments.cpus_origin));
  if (wanted.load.empty()) wanted.load = origin;
  if (origin != wanted.load) {
    return fail(ErrorKind::kUsage,
                "--cpus-origin " + arguments.cpus_origin + " is not --cpus-load " +
                    arguments.cpus_load + ", but load and origin share one thread",
                "leave --cpus-origin out, or name the same CPUs");
  }
  return wanted;
}

std::vector<CLI::Option*> add_host_options(CLI::App* verb, CommandArms* arms) {
  auto& hosts = arms->hosts;
  auto* load = verb->add_option("--load-via", arms->load_via,
                                "words that run a command on the host that the load is to come "
                                "from: 'ssh -o BatchMode=yes load1'");
  auto* load_hone =
      verb->add_option("--load-hone", hosts.load.hone, "hone on that host")->capture_default_str();
  auto* load_threads =
      verb->add_option("--load-threads", hosts.load_threads, "of the load on that host")
          ->check(CLI::Range(1, 1024))
          ->capture_default_str();
  auto* server =
      verb->add_option("--server-address", hosts.server_address,
                       "this machine as that host reaches it: {host}, where the arms are "
                       "to listen")
          ->capture_default_str();
  auto* origin = verb->add_option("--origin-via", arms->origin_via,
                                  "words that run a command on the origin's host");
  auto* origin_hone = verb->add_option("--origin-hone", hosts.origin.hone, "hone on that host")
                          ->capture_default_str();
  auto* origin_address = verb->add_option("--origin-address", hosts.origin_address,
                                          "that host as this machine reaches it");
  load->needs(server);
  load_hone->needs(load);
  load_threads->needs(load);
  origin->needs(origin_address);
  origin_hone->needs(origin);
  origin_address->needs(origin);
  return {load, load_hone, load_threads, server, origin, origin_hone, origin_address};
}

}  // namespace

const char* const kPlaceholderHelp =
    "Placeholders: {host} {port} {port_tls} {admin} {run} {origin} {origin_host} {origin_port} "
    "{cert} {key}; literal braces are doubled.";

std::vector<CLI::Option*> add_command_arms(CLI::App* verb, CommandArms* arms) {
  auto& a = *arms;
  std::vector<CLI::Option*> options = {
      verb->add_option("--a", a.a, "command of the base; {port} and the like are filled in"),
      each(verb->add_option("--b", a.b,
                            "command of what is compared with it; in `hone compare` "
                            "several times, for as many candidates")),
      verb->add_option("--ready", a.ready, "URL that answers when an arm is ready"),
      verb->add_option("--url", a.url, "URL to be asked"),
      each(verb->add_option("--url-b", a.b_urls,
                            "URL for B, where it differs: once for all of --b, or once for each")),
      each(verb->add_option("--name-b", a.b_labels,
                            "what reports call B, once for each of --b; else its command")),
      verb->add_option("--protocol", a.protocol, "h1, h2, h3 (over TLS) or grpc")
          ->capture_default_str(),
      verb->add_option("--connections", a.connections, "per worker")
          ->check(CLI::Range(1, 65535))
          ->capture_default_str(),
      verb->add_option("--streams", a.streams, "HTTP/2 requests open at once on a connection")
          ->check(CLI::Range(1, 1000))
          ->capture_default_str(),
      verb->add_option("--workers", a.workers, "workers (and CPUs) of each arm")
          ->check(CLI::Range(1, 1024))
          ->capture_default_str(),
      verb->add_option("--seed", a.seed, "of orders and arrivals; drawn and printed when 0"),
      verb->add_option("--ready-timeout", a.ready_timeout_s, "seconds")
          ->check(CLI::Range(0.1, 3600.0))
          ->capture_default_str(),
      verb->add_option("--stop-signal", a.stop_signal, "that ends an arm")->capture_default_str(),
      verb->add_option("--cpus-server", a.cpus_server, "CPU list, as in 2-3"),
      verb->add_option("--cpus-load", a.cpus_load, "CPU list for load and origin"),
      verb->add_option("--cpus-origin", a.cpus_origin, "the same list: they share one thread"),
      verb->add_flag("--origin", a.origin, "start hone's origin; {origin} is its address"),
      verb->add_flag("--no-spinner", a.no_spinner, "let the server's CPUs sleep"),
  };
  const std::vector<CLI::Option*> of_hosts = add_host_options(verb, arms);
  options.insert(options.end(), of_hosts.begin(), of_hosts.end());
  return options;
}

Result<pipeline::Design> make_command_design(const CommandArms& arguments, system::System& system) {
  HONE_CHECK(check_stop_signal(arguments.stop_signal));
  pipeline::Design design;
  HONE_CHECK(check_candidates(arguments));
  HONE_TRY(design.base, make_arm(arguments, "A", arguments.a, arguments.url, system));
  const pipeline::Arm& base = design.base;
  design.subject = system::Path(base.binary.empty() ? base.server.command.front() : base.binary)
                       .filename()
                       .string();
  for (std::size_t i = 0; i < arguments.b.size(); ++i) {
    const std::vector<std::string>& urls = arguments.b_urls;
    const std::string& url = urls.empty() ? arguments.url : urls[std::min(i, urls.size() - 1)];
    HONE_TRY(auto arm,
             make_arm(arguments, pipeline::candidate_name(i), arguments.b[i], url, system));
    if (!arguments.b_labels.empty()) arm.label = arguments.b_labels[i];
    design.candidates.push_back(std::move(arm));
  }
  subject::Shape shape;
  shape.name = arguments.protocol;
  HONE_TRY(shape.protocol, traffic::wire::parse_protocol(arguments.protocol));
  shape.tls = arguments.url.starts_with("https://");
  design.shapes = {shape};
  design.settings.connections = arguments.connections;
  design.settings.streams = arguments.streams;
  design.settings.spinner = !arguments.no_spinner;
  design.settings.seed =
      arguments.seed != 0 ? arguments.seed : std::random_device{}() % 0x7fffffffU + 1;
  design.settings.hosts = arguments.hosts;
  HONE_TRY(design.settings.hosts.load.via, shell_split(arguments.load_via));
  HONE_TRY(design.settings.hosts.origin.via, shell_split(arguments.origin_via));
  design.with_origin = arguments.origin || design.settings.hosts.origin.is_far();
  HONE_TRY(const auto wanted, wanted_cpus(arguments));
  HONE_CHECK(pipeline::choose_cpus(wanted, arguments.workers, system::allowed_cpus(),
                                   &design.server_cpus, &design.load_cpus));
  return design;
}

pipeline::RunValues begin_values(const std::string& command, pipeline::Design* design,
                                 system::System& system) {
  pipeline::RunValues values;
  values.command = command;
  values.started_at = system.clock->wall_time();
  values.subject = design->subject;
  values.machine = measure::describe_machine(system);
  design->machine = pipeline::name_machine(values.machine);
  values.findings =
      measure::check_machine(system, design->server_cpus, design->load_cpus, &values.machine);
  return values;
}

}  // namespace hone::cli
