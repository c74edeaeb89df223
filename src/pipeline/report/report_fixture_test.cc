#include "pipeline/report/report_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace hone::pipeline::report {

double round_to(double value, double unit) { return std::round(value / unit) * unit; }

namespace {

using measure::Estimate;
using measure::Verdict;

constexpr int kRounds = 8;
constexpr double kStudent = 2.365;  // 97.5 % point of t with 7 degrees of freedom

struct ShapeSketch {
  const char* name;
  bool trained;
  bool tls;
  bool h2;
  double us;     // of the baseline at `busy`
  double saved;  // us, at every load
  double sd;     // of a round's effect
};

constexpr ShapeSketch kShapes[] = {{"h1-4k", true, false, false, 24.9, 2.1, 0.012},
                                   {"h1-16k", true, false, false, 31.2, 2.0, 0.014},
                                   {"h2-4k", true, false, true, 28.4, 2.4, 0.015},
                                   {"headers", true, false, false, 38.6, 4.9, 0.011},
                                   {"tls-h1-4k", true, true, false, 71.8, 4.2, 0.013},
                                   {"tls-h2-4k", true, true, true, 66.3, 4.4, 0.012},
                                   {"h1-post-8k", false, false, false, 34.0, 1.7, 0.014},
                                   {"h1-redirect", false, false, false, 19.1, 0.9, 0.016},
                                   {"tls-headers", false, true, true, 83.5, 7.7, 0.012}};

struct Scatter {
  std::vector<double> values;
  double mean = 0, sd = 0, low = 0, high = 0;
};

Scatter scatter(Random* random, double mean, double sd) {
  Scatter s;
  for (int i = 0; i < kRounds; ++i)
    s.values.push_back(round_to(mean + sd * random->normal(), 1e-4));
  for (const double v : s.values) s.mean += v / kRounds;
  for (const double v : s.values) s.sd += (v - s.mean) * (v - s.mean) / (kRounds - 1);
  s.sd = std::sqrt(s.sd);
  const double half = kStudent * s.sd / std::sqrt(kRounds);
  s.low = round_to(s.mean - half, 1e-5);
  s.high = round_to(s.mean + half, 1e-5);
  s.mean = round_to(s.mean, 1e-5);
  s.sd = round_to(s.sd, 1e-5);
  return s;
}

Verdict judge(const Comparison& c) {
  if (c.aa.low > 0 || c.aa.high < 0) return Verdict::kWithheld;
  if (c.estimate.high < 0 && -c.estimate.effect > c.floor) return Verdict::kSaved;
  if (c.estimate.low > 0 && c.estimate.effect > c.floor) return Verdict::kWorse;
  return Verdict::kUnresolved;
}

std::string why(const Comparison& c) {
  switch (c.verdict) {
    case Verdict::kSaved:
    case Verdict::kWorse:
      return "the interval excludes 0 and the effect is beyond the A/A floor of " +
             std::to_string(static_cast<int>(std::ceil(c.floor * 100))) + " %";
    case Verdict::kWithheld:
      return "A against its own copy is not zero";
    case Verdict::kUnresolved:
      return "the interval includes 0";
    default:
      return "";
  }
}

traffic::load::LatencySummary latency(double p50) {
  return {p50,
          round_to(p50 * 1.9, 0.1),
          round_to(p50 * 3.7, 0.1),
          round_to(p50 * 6.1, 0.1),
          round_to(p50 * 14, 0.1),
          round_to(p50 * 1.2, 0.1)};
}

// Alike by the other views, but for one shape whose work is done in soft interrupts.
void add_checks(Comparison* c) {
  const double effect = c->estimate.effect;
  Check in_turn;
  in_turn.rounds = 2;
  in_turn.round_effects = {round_to(effect + 0.021, 1e-4), round_to(effect - 0.025, 1e-4)};
  in_turn.estimate = {round_to(effect - 0.002, 1e-4), round_to(effect - 0.25, 1e-4),
                      round_to(effect + 0.25, 1e-4)};
  in_turn.pair_sd = 0.033;
  in_turn.rounds_for_1pct = 88;
  Check without;
  without.kind = RoundKind::kWithoutSpinner;
  without.rounds = 1;
  without.round_effects = {round_to(effect * 0.9, 1e-4)};
  without.estimate = {without.round_effects[0], without.round_effects[0], without.round_effects[0]};
  c->checks = {in_turn, without};
  const double apart = c->shape == "h1-16k" ? 0.031 : 0.004;
  c->whole_cpu = CpuView{round_to(c->us_a * 1.06, 0.01),
                         round_to(c->us_b * 1.07, 0.01),
                         {round_to(effect + apart, 1e-4), round_to(effect + apart - 0.012, 1e-4),
                          round_to(effect + apart + 0.012, 1e-4)}};
}

Comparison comparison(Random* random, const ShapeSketch& sketch, const Load& load, double us_a) {
  Comparison c;
  c.role = sketch.trained ? "proof" : "held-out";
  c.a = "A";
  c.b = c.block = "B";
  c.shape = sketch.name;
  c.load = load.name;
  c.trained = sketch.trained;
  const Scatter effect = scatter(random, -sketch.saved / us_a, sketch.sd);
  Scatter aa = scatter(random, 0, sketch.sd * 0.8);
  if (aa.low > 0 || aa.high < 0) {  // a copy does not differ: shift what luck made
    for (double& v : aa.values) v = round_to(v - aa.mean, 1e-4);
    aa.low = round_to(aa.low - aa.mean, 1e-5), aa.high = round_to(aa.high - aa.mean, 1e-5),
    aa.mean = 0;
  }
  c.estimate = {effect.mean, effect.low, effect.high};
  c.aa = {aa.mean, aa.low, aa.high};
  c.round_effects = effect.values;
  c.round_aa = aa.values;
  c.us_a = us_a;
  c.us_b = round_to(us_a * (1 + effect.mean), 0.01);
  c.us_saved = round_to(us_a - c.us_b, 0.01);
  c.us_saved_low = round_to(-effect.high * us_a, 0.01);
  c.us_saved_high = round_to(-effect.low * us_a, 0.01);
  c.wakes_a = load.busy > 0 ? 0.31 : 0.06;
  c.wakes_b = round_to(c.wakes_a * 1.04, 0.001);
  c.latency_a = latency(round_to(us_a * 5, 0.1));
  c.latency_b = latency(round_to(us_a * 4.8, 0.1));
  c.rounds = kRounds;
  c.won = static_cast<int>(
      std::count_if(effect.values.begin(), effect.values.end(), [](double v) { return v < 0; }));
  c.hodges_lehmann = effect.mean;
  c.pair_sd = effect.sd;
  c.p_value = 0.0002;
  c.floor = std::max(std::abs(aa.low), std::abs(aa.high));
  c.smallest_detectable = round_to(c.floor + 1.2 * effect.sd, 1e-4);
  c.rounds_for_1pct = 9;
  add_checks(&c);
  c.verdict = judge(c);
  c.why = why(c);
  return c;
}

Trial trial(const char* arm, const Comparison& c, int round, double rate, double cost_us) {
  Trial t;
  t.arm = arm;
  t.shape = c.shape;
  t.load = c.load;
  t.round = round;
  t.scheduled = t.ok = static_cast<std::uint64_t>(rate * 3.2);
  t.cpu_total_s = round_to(static_cast<double>(t.ok) * cost_us * 1e-6, 1e-6);
  t.whole_cpu_s = round_to(t.cpu_total_s * 1.06, 1e-6);
  t.wakes = static_cast<std::uint64_t>(static_cast<double>(t.ok) * c.wakes_a);
  t.achieved_rate = round_to(rate * 0.9996, 0.1);
  t.idle_cpu_us_per_s = arm[0] == 'B' ? 41 : 43;
  t.user_share = 0.42;
  t.body_bytes = t.ok * 4096;
  t.upstream_requests = t.ok;
  t.status["200"] = t.ok;
  t.client_cpu_s = round_to(static_cast<double>(t.ok) * 21e-6, 1e-6);
  t.client_wakes = t.ok / 2;
  t.latency_us = c.latency_a;
  t.ready_s = 0.04;
  t.workers.connections = {16};
  t.minor_faults = t.ok / 500;
  t.preempted = t.ok / 90;
  t.run_delay_s = round_to(static_cast<double>(t.ok) * 0.4e-6, 1e-6);
  t.threads = {{"nghttpx", t.cpu_total_s, t.wakes, 0}};
  t.events = {
      {"instructions, user", round_to(static_cast<double>(t.ok) * cost_us * 1900, 1), t.ok, ""},
      {"cycles, user", round_to(static_cast<double>(t.ok) * cost_us * 1400, 1), t.ok, ""},
      {"cycles, kernel", 0, 0, "not available here: this machine has no such counter"}};
  for (int i = 0; i < 2; ++i)
    t.slices.push_back({i, round_to(t.cpu_total_s / 2, 1e-6), round_to(t.cpu_total_s * 0.53, 1e-6),
                        t.ok / 2, t.wakes / 2, 3, 0.9996});
  return t;
}

Round round_of(const Comparison& c, int number, double rate) {
  const auto i = static_cast<std::size_t>(number - 1);
  Round round;
  round.shape = c.shape;
  round.load = c.load;
  round.number = number;
  round.environment.steal = 0.0004;
  round.environment.foreign_cpu = 0.0021;
  round.environment.run_delay = 0.0003;
  round.environment.missed = 0.0001;
  round.environment.spin_drift = 0.003;
  round.spinner_share = 0.989;
  round.machine.wall_s = 12;
  round.machine.devices = {{"eth0", 40}, {"virtio1-req.0", 300}};
  round.machine.kernel = {{"LOC", 3000}, {"RES", 9000}};
  round.machine.softirqs = {{"NET_RX", 24'000}};
  round.machine.hottest_c = 61.5;
  round.machine.settings = {{"aslr", "2"}, {"governor", "performance"}};
  round.order = {0, 1, 2, 1, 0, 2, 2, 0, 1, 2, 1, 0};
  round.started_at = "2026-11-30T19:53:58Z";
  round.trials = {trial("A", c, number, rate, c.us_a),
                  trial("B", c, number, rate, c.us_a * (1 + c.round_effects[i])),
                  trial("A'", c, number, rate, c.us_a * (1 + c.round_aa[i]))};
  return round;
}

Round spoiled(Round round) {
  round.valid = false;
  round.why_invalid = "steal 1.3 % is above 0.5 %";
  round.environment.steal = 0.013;
  return round;
}

Arm arm(const char* name, const char* variant, char digit) {
  Arm a;
  a.name = name;
  a.variant = variant;
  a.binary = std::string("/srv/store/") + variant + "/nghttpx";
  a.sha256 = std::string(64, digit);
  a.server.command = {"{binary}", "--conf=/dev/null", "--workers=1"};
  return a;
}

void add_builds(RunValues* run) {
  const auto build = [&](const char* variant, char digit, BuildCosts costs,
                         std::vector<std::string> compile, std::vector<std::string> link) {
    BuiltBinary b;
    b.variant = variant;
    b.sha256 = std::string(64, digit);
    b.costs = costs;
    b.compile_flags = std::move(compile);
    b.link_flags = std::move(link);
    run->builds.push_back(b);
  };
  build("baseline", 'a', {29.4, 56.1, 219'000, 4'912'000, 1'391'000, 1'702'000}, {}, {});
  build("instrumented", 'c', {41.8, 79.9, 262'000, 9'120'000, 2'870'000, 3'903'000},
        {"-fprofile-generate", "-fprofile-update=atomic"}, {"-fprofile-generate"});
  build("pgo-thinlto", 'b', {47.2, 84.3, 391'000, 4'210'000, 1'322'000, 1'598'000},
        {"-fprofile-use=6f2a.profdata", "-flto=thin"}, {"-flto=thin", "-fuse-ld=lld"});
  run->builds.back().profile_use = {3, 412, 8'140};
  run->builds.front().reused = true;
}

void add_leg(RunValues* run, const std::string& name, LegCoverage coverage, double share,
             double wall_s, double us) {
  Leg leg;
  leg.name = coverage.name = name;
  leg.requests = coverage.requests;
  leg.share = share;
  leg.profiles = {"1.profraw", "2.profraw"};
  leg.wall_s = wall_s;
  leg.cpu_us_per_request = us;
  run->legs.push_back(leg);
  run->profile.legs.push_back(coverage);
}

void add_profile(RunValues* run) {
  std::uint64_t requests = 212'000, covered = 1'904;
  for (const ShapeSketch& sketch : kShapes) {
    if (!sketch.trained) continue;
    LegCoverage coverage;
    coverage.requests = requests;
    coverage.weight = 100 * 212'000 / requests;
    coverage.functions_covered = covered;
    coverage.total_count = 4'100'000'000;
    coverage.only_here = 21;
    add_leg(run, sketch.name, coverage, 1.0 / 6, 8.1, sketch.us * 2.5);
    requests = requests * 9 / 10;
    covered += 43;
  }
  LegCoverage start;
  start.requests = 2;
  start.weight = 11;
  start.functions_covered = 1'203;
  start.total_count = 3'100'000;
  start.only_here = 388;
  add_leg(run, "start-up", start, 1e-6, 0.4, 0);
  for (std::size_t i = 0; i < run->profile.legs.size(); ++i) {
    run->profile.overlap.emplace_back(run->profile.legs.size(), 0.41);
    run->profile.overlap.back()[i] = 1;
  }
  run->profile.path = "/srv/store/profile/6f2a.profdata";
  run->profile.sha256 = "6f2a" + std::string(60, '7');
  run->profile.functions = 9'214;
  run->profile.functions_covered = 2'871;
  run->profile.total_count = 24'903'118'220;
  run->profile.max_count = 611'902'337;
  run->profile.call_sites = 412;
  run->profile.call_sites_resolved = 403;
  run->profile.hottest = {{"http_parser_execute", 611'902'337},
                          {"shrpx::HttpsUpstream::on_read()", 204'118'005},
                          {"nghttp2_hd_inflate_hd_nv", 118'400'771}};
}

void add_loads(RunValues* run, Random* random) {
  Proof& proof = run->proof;
  for (const Load& load : proof.design.loads) {
    Total total{load.name, "B", {}, Verdict::kSaved, 0};
    for (const ShapeSketch& sketch : kShapes) {
      // Without most of its wakes a request costs a third less; the work saved is the same.
      const double us = load.busy > 0 ? sketch.us : round_to(sketch.us * 0.68, 0.1);
      const double rate = load.busy > 0 ? round_to(0.6e6 / sketch.us, 10) : load.rate;
      Comparison c = comparison(random, sketch, load, us);
      proof.loads.push_back({load.name, c.shape, load.arrivals, rate,
                             load.busy > 0 ? "server 60 % busy" : "fixed",
                             round_to(rate * us * 1e-6, 1e-3), round_to(rate * 21e-6, 1e-3)});
      for (int n = 1; n <= kRounds; ++n) {
        Round round = round_of(c, n, rate);
        if (n == 3 && c.shape == "h2-4k" && load.busy > 0) {
          proof.rounds.push_back(spoiled(round));
          round.attempt = 2;
          c.repeated = 1;
        }
        proof.rounds.push_back(round);
      }
      if (c.shape == "h1-4k") {
        proof.rounds.push_back(round_of(c, 1, rate));
        proof.rounds.back().kind = RoundKind::kInTurn;
      }
      if (c.trained) {
        ++total.shapes;
        total.estimate.effect += c.estimate.effect / 6;
      }
      proof.comparisons.push_back(c);
    }
    total.estimate = {round_to(total.estimate.effect, 1e-5),
                      round_to(total.estimate.effect - 0.0041, 1e-5),
                      round_to(total.estimate.effect + 0.0041, 1e-5)};
    proof.totals.push_back(total);
  }
}

}  // namespace

RunValues full_run() {
  RunValues run;
  run.command = "hone run subjects/nghttpx --output results";
  run.started_at = "2026-11-30T19:53:58Z";
  run.finished_at = "2026-11-30T20:41:07Z";
  run.wall_s = 2829;
  run.subject = "nghttpx";
  run.summary = "the HTTP/2 proxy of nghttp2, one worker";
  run.recipe_sha256 = std::string(64, 'e');
  run.source = {"/srv/store/source", "1.52.0-1+deb12u2 " + std::string(16, 'd'),
                "nghttp2 1.52.0-1+deb12u2 (Debian source package)"};
  run.tools.major = 22;
  run.tools.version = "22.1.8";
  run.tools.cxx = "/usr/bin/clang++-22";
  run.tools.lld = "/usr/bin/ld.lld-22";
  run.tools.profdata = "/usr/bin/llvm-profdata-22";
  run.machine = {{"cpu_model", "Example CPU 9000"},
                 {"cpus", 2},
                 {"kernel", "6.1.0"},
                 {"memory_bytes", 25'769'803'776},
                 {"virtual_machine", true},
                 {"hardware_counters", "not available here: the hypervisor passes none"}};
  Design& design = run.proof.design;
  design.subject = "nghttpx";
  design.base = arm("A", "baseline", 'a');
  design.candidates = {arm("B", "pgo-thinlto", 'b')};
  for (const ShapeSketch& sketch : kShapes) {
    subject::Shape shape;
    shape.name = sketch.name;
    shape.protocol = sketch.h2 ? traffic::wire::Protocol::kHttp2 : traffic::wire::Protocol::kHttp1;
    shape.tls = sketch.tls;
    shape.train = sketch.trained;
    shape.share = sketch.trained ? 1.0 / 6 : 0;
    design.shapes.push_back(shape);
  }
  // Not in the order of the report: `busy` comes first there.
  design.loads = {{"burst16", 8000, 0, "burst:16"}, {"busy", 0, 0.6, "poisson"}};
  design.settings.seed = 20'261'130;
  design.server_cpus = {1};
  design.load_cpus = {0};
  add_builds(&run);
  add_profile(&run);
  run.product = {
      "results/out",
      {"nghttpx", "nghttpx.debug", "nghttpx.profdata", "recipe.toml", "flags.txt", "SHA256SUMS"}};
  Random random(7);
  add_loads(&run, &random);
  run.findings = {
      {"machine.virtual", "warning",
       "this is a virtual machine: every wake leaves it and costs more than on bare metal",
       "compare microseconds, not percentages, with other machines"},
      {"machine.counters", "info", "no hardware counters: cycles and instructions are not shown",
       ""}};
  return run;
}

TEST(ReportFixture, IsARunThatHoneCouldHaveLeft) {
  const RunValues run = full_run();
  EXPECT_EQ(run.proof.comparisons.size(), 18u);
  for (const Comparison& c : run.proof.comparisons) {
    EXPECT_LE(c.estimate.low, c.estimate.effect) << c.shape;
    EXPECT_LE(c.estimate.effect, c.estimate.high) << c.shape;
    EXPECT_EQ(c.round_effects.size(), static_cast<std::size_t>(c.rounds)) << c.shape;
    EXPECT_EQ(c.verdict, Verdict::kSaved) << c.shape << " " << c.load;
  }
}

}  // namespace hone::pipeline::report
