#include "pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/sha256.h"
#include "base/text.h"
#include "measure/machine/machine.h"
#include "pipeline/optimize/optimize.h"
#include "pipeline/prove/prove.h"
#include "pipeline/sweep/sweep.h"
#include "pipeline/train/train.h"
#include "system/cpus.h"

namespace hone::pipeline {
namespace {

constexpr const char* kStageNames[] = {"recipe",   "build", "train", "profile",
                                       "optimize", "prove", "report"};

// In 7-report: all that the reports are drawn from.
constexpr char kValuesFile[] = "values.json";
// Beside the stages' folders: a sweep is no stage of a run.
constexpr char kSweepFolder[] = "sweep";

// Findings of every stage go to the reader of the report as well as to whoever watches.
class Collector final : public Observer {
 public:
  Collector(Observer* shown, Findings* kept) : shown_(shown), kept_(kept) {}
  void stage(const std::string& name, double expected_s) override {
    shown_->stage(name, expected_s);
  }
  void line(const std::string& text) override { shown_->line(text); }
  void progress(const std::string& what, double done, double total) override {
    shown_->progress(what, done, total);
  }
  void finding(const Finding& finding) override {
    kept_->push_back(finding);
    shown_->finding(finding);
  }

 private:
  Observer* shown_;
  Findings* kept_;
};

class PipelineRun {
 public:
  PipelineRun(const RunOptions& options, const Prepared& prepared, system::System& system,
              Observer& observer)
      : options_(options),
        recipe_(prepared.recipe),
        prepared_(prepared),
        store_(system::Path(options.work) / prepared.recipe.subject, options.run_name,
               system.files.get()),
        system_(system),
        observer_(&observer, &outcome_.values.findings),
        begin_(system.clock->now()) {}

  Result<RunOutcome> run() {
    HONE_TRY(const auto lock, store_.lock());
    HONE_CHECK(make_builds());
    HONE_CHECK(run_stage(Stage::kProve, [this] { return prove_stage(); }));
    HONE_CHECK(run_stage(Stage::kReport, [this] { return report_stage(); }));
    return std::move(outcome_);
  }

  Result<SweepOutcome> sweep(const SweepSettings& settings, const system::Path& output) {
    HONE_TRY(const auto lock, store_.lock());
    HONE_CHECK(make_builds());
    HONE_TRY(Sweep swept, sweep_builds(settings));
    SweepOutcome outcome;
    outcome.output = output.empty() ? store_.stage_dir(kSweepFolder) : output;
    values().proof.design = swept.design.design;
    values().proof.findings = swept.findings;
    stop_watch();
    outcome.values = {std::move(values()), std::move(swept)};
    HONE_CHECK(save(kSweepFolder, kValuesFile, outcome.values));
    HONE_CHECK(write_sweep_reports(outcome.values, outcome.output, *system_.files));
    return outcome;
  }

 private:
  RunValues& values() { return outcome_.values; }

  // All stages before the proof.
  Status make_builds() {
    values().command = options_.command;
    values().started_at = system_.clock->wall_time();
    values().subject = recipe_.subject;
    values().summary = recipe_.summary;
    values().recipe_sha256 = sha256(dump(Json(recipe_)));
    HONE_CHECK(save("1-recipe", "recipe.json", recipe_));
    HONE_CHECK(run_stage(Stage::kBuild, [this] { return build_stage(); }));
    HONE_CHECK(run_stage(Stage::kTrain, [this] { return train_stage(); }));
    HONE_CHECK(run_stage(Stage::kProfile, [this] { return profile_stage(); }));
    return run_stage(Stage::kOptimize, [this] { return optimize_stage(); });
  }

  template <typename Work>
  Status run_stage(Stage stage, Work work) {
    if (stage > options_.until) return {};
    double expected_s = stage == Stage::kProve ? prepared_.plan.expected_prove_s : 0;
    for (const Step& step : prepared_.plan.steps) {
      if (stage_of(step) == stage) expected_s += step.expected_s;
    }
    observer_.stage(name(stage), expected_s);
    if (Status status = work(); !status) {
      return tl::make_unexpected(while_doing(std::move(status).error(), name(stage)));
    }
    outcome_.reached = stage;
    return {};
  }

  // A build that waits for a profile belongs to optimize.
  Stage stage_of(const Step& step) const {
    if (step.kind == Step::Kind::kTrain) return Stage::kTrain;
    if (step.kind == Step::Kind::kMerge) return Stage::kProfile;
    return step.inputs.empty() ? Stage::kBuild : Stage::kOptimize;
  }

  template <typename Value>
  Status save(const std::string& stage, const std::string& file, const Value& value) {
    return system_.files->write(store_.stage_dir(stage) / file, dump(Json(value)));
  }

  Status build_steps(Stage stage, const std::string& profile) {
    for (const Step& step : prepared_.plan.steps) {
      if (step.kind != Step::Kind::kBuild || stage_of(step) != stage) continue;
      HONE_TRY(auto built, build(recipe_, values().source, step.flags, profile, values().tools,
                                 store_, system_, observer_));
      builds_[step.id] = built;
      values().builds.push_back(std::move(built));
    }
    return {};
  }

  Status build_stage() {
    HONE_TRY(values().tools, toolchain::discover(recipe_.build.toolchain, system_));
    observer_.line("toolchain: LLVM " + values().tools.version + ", " + values().tools.cxx);
    HONE_TRY(values().source, fetch_source(recipe_, store_, system_, observer_));
    HONE_CHECK(build_steps(Stage::kBuild, ""));
    return save("2-build", "builds.json", values().builds);
  }

  Status train_stage() {
    TrainingPlace place;
    place.server_cpus = prepared_.server_cpus;
    place.load_cpus = prepared_.load_cpus;
    place.flush_library = options_.flush_library.string();
    for (const Step& step : prepared_.plan.steps) {
      if (step.kind != Step::Kind::kTrain) continue;
      HONE_TRY(values().legs, train(recipe_, prepared_.plan, builds_.at(step.inputs.front()), place,
                                    values().tools, store_, system_, observer_));
    }
    return save("3-train", "legs.json", values().legs);
  }

  Status profile_stage() {
    HONE_TRY(values().profile,
             merge_profiles(values().legs, values().tools, store_, system_, observer_));
    return save("4-profile", "profile.json", values().profile);
  }

  Status optimize_stage() {
    HONE_CHECK(build_steps(Stage::kOptimize, values().profile.path));
    const BuiltBinary& optimized = values().builds.back();
    HONE_TRY(values().product, write_product(recipe_, values().source, optimized, values().profile,
                                             values().tools, output() / "out", system_));
    observer_.line("product: " + values().product.folder);
    return save("5-optimize", "product.json", values().product);
  }

  Result<Sweep> sweep_builds(const SweepSettings& settings) {
    SweepDesign design;
    design.settings = settings;
    HONE_TRY(design.design, make_design(kSweepFolder));
    observer_.stage(kSweepFolder, static_cast<double>(design.design.shapes.size()) *
                                      expected_s(settings, prepared_.plan.arms.size()));
    check_machine(design.design);
    return run_sweep(design, store_, store_.stage_dir(kSweepFolder) / "work", system_, observer_);
  }

  void check_machine(const Design& design) {
    for (const Finding& finding :
         measure::check_machine(system_, design.server_cpus, design.load_cpus, &values().machine)) {
      observer_.finding(finding);
    }
  }

  Status prove_stage() {
    HONE_TRY(const Design design, make_design("6-prove"));
    check_machine(design);
    // What `hone report` reads must not outlive the rounds it was drawn from.
    HONE_CHECK(system_.files->remove_all(store_.stage_dir("7-report") / kValuesFile));
    HONE_TRY(values().proof,
             prove(design, store_, store_.stage_dir("6-prove") / "work", system_, observer_));
    HONE_CHECK(save("6-prove", "proof.json", values().proof));
    return save_values();
  }

  void stop_watch() {
    values().finished_at = system_.clock->wall_time();
    values().wall_s = system::to_seconds(system_.clock->now() - begin_);
  }

  Status save_values() {
    stop_watch();
    return save("7-report", kValuesFile, values());
  }

  // `stage`: whose folder keeps the seed.
  Result<Design> make_design(const std::string& stage) {
    values().machine = measure::describe_machine(system_);
    Design design;
    design.subject = recipe_.subject;
    design.machine = name_machine(values().machine);
    for (const PlannedArm& planned : prepared_.plan.arms) {
      const BuiltBinary& built = builds_.at(planned.build);
      Arm arm;
      arm.name = planned.name;
      arm.variant = planned.variant;
      arm.binary = built.path;
      arm.sha256 = built.sha256;
      arm.server = recipe_.server;
      HONE_TRY(arm.files, hash_named_files(recipe_.server.command, *system_.files));
      if (&planned == &prepared_.plan.arms.front()) {
        design.base = std::move(arm);
      } else {
        design.candidates.push_back(std::move(arm));
      }
    }
    for (const std::string& wanted : prepared_.plan.prove_shapes) {
      for (const auto& shape : recipe_.shapes) {
        if (shape.name == wanted) design.shapes.push_back(shape);
      }
    }
    design.loads = prepared_.plan.loads;
    design.settings = prepared_.plan.prove;
    design.server_cpus = prepared_.server_cpus;
    design.load_cpus = prepared_.load_cpus;
    HONE_TRY(design.settings.seed, seed(stage));
    observer_.line(fmt::format("seed {}", design.settings.seed));
    return design;
  }

  // Drawn once per run and kept, so that a run that goes on has the orders it began with.
  Result<std::uint64_t> seed(const std::string& stage) {
    if (recipe_.prove.seed != 0) return recipe_.prove.seed;
    const auto file = store_.stage_dir(stage) / "seed";
    if (const auto text = system_.files->read(file)) {
      if (const auto kept = parse_integer(trim(*text)); kept && *kept > 0) {
        return static_cast<std::uint64_t>(*kept);
      }
    }
    // 31 bits: short to type, and every JSON reader keeps it exactly.
    const std::uint64_t drawn = std::random_device{}() % 0x7fffffffU + 1;
    HONE_CHECK(system_.files->write(file, std::to_string(drawn) + "\n"));
    return drawn;
  }

  system::Path output() const {
    return options_.output.empty() ? store_.stage_dir("7-report") : options_.output;
  }

  Status report_stage() {
    outcome_.output = output();
    return write_reports(values(), outcome_.output, *system_.files);
  }

  const RunOptions& options_;
  const Recipe& recipe_;
  const Prepared& prepared_;
  Store store_;
  system::System& system_;
  RunOutcome outcome_;
  Collector observer_;  // after what it writes into
  system::Instant begin_;
  std::map<std::string, BuiltBinary> builds_;  // by step id
};

}  // namespace

const char* name(Stage stage) { return kStageNames[static_cast<int>(stage)]; }

Result<Stage> parse_stage(const std::string& text) {
  std::vector<std::string> known;
  for (int i = 0; i <= static_cast<int>(Stage::kReport); ++i) {
    if (text == kStageNames[i]) return static_cast<Stage>(i);
    known.emplace_back(kStageNames[i]);
  }
  const std::string near = nearest(text, known);
  return fail(ErrorKind::kUsage, "'" + text + "' is not a stage",
              near.empty() ? "stages: " + join(known, ", ") : "did you mean '" + near + "'?");
}

Status choose_cpus(const Cpus& wanted, int workers, const std::vector<int>& allowed,
                   std::vector<int>* server, std::vector<int>* load) {
  *server = wanted.server;
  *load = wanted.load;
  if (allowed.size() < 2 && (server->empty() || load->empty())) {
    return fail(ErrorKind::kMachineUnfit,
                "hone needs two CPUs: one for the server and one for load and origin",
                "run it on a machine with more, or let it use more (taskset, cgroup cpuset)");
  }
  std::vector<int> free = allowed;
  const auto drop = [&free](const std::vector<int>& used) {
    std::erase_if(free,
                  [&](int cpu) { return std::find(used.begin(), used.end(), cpu) != used.end(); });
  };
  drop(*server);
  drop(*load);
  if (server->empty()) {
    const std::size_t most = load->empty() && !free.empty() ? free.size() - 1 : free.size();
    const std::size_t count = std::min(static_cast<std::size_t>(workers), most);
    server->assign(free.end() - static_cast<std::ptrdiff_t>(count), free.end());
    drop(*server);
  }
  // One thread carries load and origin, so one CPU is what it can use.
  if (load->empty() && !free.empty()) load->push_back(free.front());
  if (server->empty() || load->empty()) {
    return fail(ErrorKind::kRecipe, "[prove] cpus leaves no CPU for the server or for the load",
                "name disjoint CPUs, or leave the choice to hone");
  }
  for (const auto* list : {server, load}) {
    for (const int cpu : *list) {
      if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end()) {
        return fail(ErrorKind::kRecipe,
                    fmt::format("[prove] cpus names CPU {}, which hone may not use (allowed: {})",
                                cpu, system::format_cpu_list(allowed)),
                    "name CPUs from that list, or leave the choice to hone");
      }
    }
  }
  for (const int cpu : *server) {
    if (std::find(load->begin(), load->end(), cpu) != load->end()) {
      return fail(ErrorKind::kRecipe,
                  fmt::format("CPU {} is named for the server and for the load", cpu),
                  "the two must not share a CPU: mend [prove] cpus");
    }
  }
  return {};
}

Result<Prepared> prepare(const RunOptions& options, system::System& system) {
  Prepared prepared;
  if (!is_run_name(options.run_name)) {
    return fail(
        ErrorKind::kUsage, "--run: '" + options.run_name + "' cannot be the name of a run",
        fmt::format("use 1 to {} letters, digits, '-' and '_'; store, tree and lock are taken",
                    kNameLimit));
  }
  HONE_TRY(prepared.recipe, load_recipe(options.recipe, options.sets, system));
  HONE_TRY(prepared.plan, make_plan(prepared.recipe, options.plan));
  HONE_CHECK(choose_cpus(prepared.recipe.prove.cpus, prepared.recipe.server.workers,
                         system::allowed_cpus(), &prepared.server_cpus, &prepared.load_cpus));
  return prepared;
}

Result<RunOutcome> run(const RunOptions& options, const Prepared& prepared, system::System& system,
                       Observer& observer) {
  return PipelineRun(options, prepared, system, observer).run();
}

Result<SweepOutcome> sweep(const RunOptions& options, const SweepSettings& settings,
                           const Prepared& prepared, system::System& system, Observer& observer) {
  RunOptions builds = options;
  builds.output.clear();  // out/ stays with the run
  return PipelineRun(builds, prepared, system, observer).sweep(settings, options.output);
}

Result<RunOutcome> report_again(const RunOptions& options, const Prepared& prepared,
                                system::System& system) {
  Store store(system::Path(options.work) / prepared.recipe.subject, options.run_name,
              system.files.get());
  const auto file = store.run_dir() / "7-report" / kValuesFile;
  if (!system.files->exists(file)) {
    return fail(ErrorKind::kNotFound,
                "the run '" + options.run_name + "' of " + prepared.recipe.subject +
                    " has not come to a report yet",
                "hone run " + options.recipe.string());
  }
  HONE_TRY(const auto lock, store.lock());
  HONE_TRY(const std::string text, system.files->read(file));
  RunOutcome outcome;
  HONE_TRY(outcome.values, parse_as<RunValues>(text, file.string()));
  const Proof& proof = outcome.values.proof;
  if (!proof.rounds.empty() && proof.design.base.name.empty()) {
    return fail(ErrorKind::kIo, file.string() + " was written by another version of hone",
                "hone run " + options.recipe.string());
  }
  draw_comparisons(&outcome.values.proof);
  outcome.reached = Stage::kReport;
  outcome.output = options.output.empty() ? store.stage_dir("7-report") : options.output;
  HONE_CHECK(write_reports(outcome.values, outcome.output, *system.files));
  return outcome;
}

}  // namespace hone::pipeline
