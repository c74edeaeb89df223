// A makes a round's A and A', B its B. Where the first word of a command has a slash it is a binary
// of the user's own: it is copied to a fresh inode for every arm and round, as the proof of a
// recipe does it. A program found through PATH is left where it is, since it may look beside itself
// for its parts.
#include "cli/commands/compare.h"

#include <cstdio>
#include <memory>
#include <random>

#include "base/text.h"
#include "cli/console.h"
#include "cli/terminal_style.h"
#include "cli/verdict_code.h"
#include "measure/machine/machine.h"
#include "pipeline/pipeline.h"
#include "pipeline/prove/prove.h"
#include "pipeline/report/terminal.h"
#include "subject/signals.h"
#include "subject/url.h"
#include "system/cpus.h"
#include "traffic/load/arrivals.h"

namespace hone::cli {
namespace {

struct CompareArguments {
  std::string a, b, ready, url, url_b, protocol = "h1", arrivals = "poisson", work = ".hone";
  std::string cpus_server, cpus_load, cpus_origin, output, fail_on, stop_signal = "TERM", command;
  double rate = 0, busy = 60, duration_s = 4, ready_timeout_s = 30;
  int connections = 16, rounds = 8, workers = 1, streams = 32;
  std::uint64_t seed = 0;
  double precision = 0;
  bool origin = false, json = false, no_spinner = false, no_checks = false, in_turn = false;
};

Result<pipeline::Arm> make_arm(const CompareArguments& arguments, const std::string& name,
                               const std::string& command, const std::string& url,
                               system::System& system) {
  pipeline::Arm arm;
  arm.name = name;
  arm.variant = command;
  arm.url = url;
  HONE_TRY(arm.server.command, shell_split(command));
  if (arm.server.command.empty()) {
    return fail(ErrorKind::kUsage, "the command of arm " + name + " is empty",
                "--a 'SERVER --port {port}'");
  }
  std::string& program = arm.server.command.front();
  const auto found = system.processes->find_program(program);
  if (!found) {
    return fail(
        ErrorKind::kToolMissing,
        "'" + program + "', of arm " + name + ", is not an executable file or a program in PATH",
        "check the command given to --" + std::string(name == "B" ? "b" : "a"));
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

Result<pipeline::Cpus> wanted_cpus(const CompareArguments& arguments) {
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

// One for each pattern of arrivals.
Result<std::vector<pipeline::Load>> make_loads(const CompareArguments& arguments) {
  std::vector<pipeline::Load> loads;
  for (const std::string& text : split(arguments.arrivals, ',')) {
    HONE_TRY(const auto arrivals, traffic::load::parse_arrivals(text));
    pipeline::Load load;
    load.name = arguments.rate > 0 ? "fixed" : "busy";
    load.rate = arguments.rate;
    load.busy = arguments.rate > 0 ? 0 : arguments.busy / 100;
    load.arrivals = to_string(arrivals);
    loads.push_back(load);
  }
  if (loads.size() == 1) return loads;
  for (pipeline::Load& load : loads) load.name = replace_all(load.arrivals, ":", "-");
  return loads;
}

Result<pipeline::Design> make_design(const CompareArguments& arguments, system::System& system) {
  HONE_CHECK(check_stop_signal(arguments.stop_signal));
  pipeline::Design design;
  HONE_TRY(auto a, make_arm(arguments, "A", arguments.a, arguments.url, system));
  const std::string url_b = arguments.url_b.empty() ? arguments.url : arguments.url_b;
  HONE_TRY(auto b, make_arm(arguments, "B", arguments.b, url_b, system));
  auto a2 = a;
  a2.name = "A'";
  design.subject =
      system::Path(a.binary.empty() ? a.server.command.front() : a.binary).filename().string();
  design.arms = {std::move(a), std::move(b), std::move(a2)};
  subject::Shape shape;
  shape.name = arguments.protocol;
  HONE_TRY(shape.protocol, traffic::wire::parse_protocol(arguments.protocol));
  shape.tls = arguments.url.starts_with("https://");
  design.shapes = {shape};
  HONE_TRY(design.loads, make_loads(arguments));
  design.settings.rounds = arguments.rounds;
  design.settings.precision = arguments.precision / 100;
  design.settings.side_by_side = !arguments.in_turn;
  if (arguments.no_checks) {
    design.settings.rounds_in_turn = design.settings.rounds_without_spinner = 0;
  }
  design.settings.slice_s = arguments.duration_s / design.settings.slices;
  design.settings.connections = arguments.connections;
  design.settings.streams = arguments.streams;
  design.settings.spinner = !arguments.no_spinner;
  design.settings.seed =
      arguments.seed != 0 ? arguments.seed : std::random_device{}() % 0x7fffffffU + 1;
  design.with_origin = arguments.origin;
  HONE_TRY(const auto wanted, wanted_cpus(arguments));
  HONE_CHECK(pipeline::choose_cpus(wanted, arguments.workers, system::allowed_cpus(),
                                   &design.server_cpus, &design.load_cpus));
  return design;
}

Result<pipeline::RunValues> compare(const CompareArguments& arguments, system::System& system) {
  HONE_TRY(auto design, make_design(arguments, system));
  Console console(system.clock.get(), arguments.json);
  pipeline::Store store(std::filesystem::absolute(arguments.work) / "compare",
                        "seed-" + std::to_string(design.settings.seed), system.files.get());
  HONE_TRY(const auto lock, store.lock());
  const auto begin = system.clock->now();
  pipeline::RunValues values;
  values.command = arguments.command;
  values.started_at = system.clock->wall_time();
  values.subject = design.subject;
  values.machine = measure::describe_machine(system);
  design.machine = pipeline::name_machine(values.machine);
  values.findings =
      measure::check_machine(system, design.server_cpus, design.load_cpus, &values.machine);
  console.stage("compare", 0);
  console.line("seed " + std::to_string(design.settings.seed) +
               " (with --seed, the same command goes on where it was cut)");
  for (const Finding& finding : values.findings) console.finding(finding);
  HONE_TRY(values.proof,
           pipeline::prove(design, store, store.stage_dir("6-prove") / "work", system, console));
  // As `hone run` leaves it: `hone status` tells a finished proof by it.
  HONE_CHECK(
      system.files->write(store.stage_dir("6-prove") / "proof.json", dump(Json(values.proof))));
  values.finished_at = system.clock->wall_time();
  values.wall_s = system::to_seconds(system.clock->now() - begin);
  return values;
}

int run_compare(const CompareArguments& arguments, system::System& system) {
  const auto values = compare(arguments, system);
  if (!values) return report_error(values.error());
  if (!arguments.output.empty()) {
    const auto written = pipeline::write_reports(
        *values, std::filesystem::absolute(arguments.output), *system.files);
    if (!written) return report_error(written.error());
  }
  if (arguments.json) {
    std::fputs(dump(pipeline::make_report_json(*values)).c_str(), stdout);
  } else {
    const auto model = pipeline::make_run_report(*values);
    std::fputs(pipeline::report::render_terminal(model, terminal_style()).c_str(), stdout);
  }
  return verdict_code(values->proof, arguments.fail_on);
}

}  // namespace

void add_compare(CLI::App& app, system::System& system, const std::string& command,
                 int* exit_code) {
  auto* verb = app.add_subcommand("compare", "prove a difference between any two commands");
  auto arguments = std::make_shared<CompareArguments>();
  auto& a = *arguments;
  a.command = command;
  verb->add_option("--a", a.a, "command of the base; {port} and the like are filled in")
      ->required();
  verb->add_option("--b", a.b, "command of what is compared with it")->required();
  verb->add_option("--ready", a.ready, "URL that answers when an arm is ready")->required();
  verb->add_option("--url", a.url, "URL to be asked")->required();
  verb->add_option("--url-b", a.url_b, "URL for B, where it differs");
  verb->add_option("--protocol", a.protocol, "h1, h2, h3 (over TLS) or grpc")
      ->capture_default_str();
  auto* rate = verb->add_option("--rate", a.rate, "requests per second in total")
                   ->check(CLI::PositiveNumber);
  verb->add_option("--busy", a.busy, "per cent of the server's CPUs that A is to use")
      ->check(CLI::Range(1.0, 95.0))
      ->excludes(rate)
      ->capture_default_str();
  verb->add_option("--arrivals", a.arrivals,
                   "even, even:strict, poisson or burst:N; several, with commas, are compared each")
      ->capture_default_str();
  verb->add_option("--connections", a.connections, "per worker")
      ->check(CLI::Range(1, 65535))
      ->capture_default_str();
  verb->add_option("--streams", a.streams, "HTTP/2 requests open at once on a connection")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--workers", a.workers, "workers (and CPUs) of each arm")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option(
          "--precision", a.precision,
          "per cent to either side of the effect: after --rounds rounds it is fixed how many "
          "the interval takes in all")
      ->check(CLI::Range(0.01, 100.0));
  verb->add_flag("--no-checks", a.no_checks,
                 "leave out the rounds in turn and without spinner that check the others");
  verb->add_flag("--in-turn", a.in_turn, "never two arms alive at once: all rounds in turn");
  verb->add_option("--rounds", a.rounds, "a verdict needs at least 6")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  verb->add_option("--duration", a.duration_s, "counted seconds of load per arm and round")
      ->check(CLI::Range(0.4, 3600.0))
      ->capture_default_str();
  verb->add_option("--seed", a.seed, "of orders and arrivals; drawn and printed when 0");
  verb->add_option("--ready-timeout", a.ready_timeout_s, "seconds")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  verb->add_option("--stop-signal", a.stop_signal, "that ends an arm")->capture_default_str();
  verb->add_option("--cpus-server", a.cpus_server, "CPU list, as in 2-3");
  verb->add_option("--cpus-load", a.cpus_load, "CPU list for load and origin");
  verb->add_option("--cpus-origin", a.cpus_origin, "the same list: they share one thread");
  verb->add_flag("--origin", a.origin, "start hone's origin; {origin} is its address");
  verb->add_flag("--no-spinner", a.no_spinner, "let the server's CPUs sleep");
  verb->add_option("--work", a.work, "where rounds are kept")->capture_default_str();
  verb->add_option("--output", a.output, "folder for report.json, report.md, report.html");
  verb->add_flag("--json", a.json, "print report.json");
  verb->add_option("--fail-on", a.fail_on, "for CI: exit 0 unless the verdict is this bad")
      ->check(CLI::IsMember({"worse", "unresolved"}));
  verb->footer(
      "Placeholders: {port} {port_tls} {admin} {run} {origin} {origin_host} {origin_port} "
      "{cert} {key}; literal braces are doubled.");
  verb->callback([arguments, &system, exit_code] { *exit_code = run_compare(*arguments, system); });
}

}  // namespace hone::cli
