// A pass is one process lifetime of all arms and visits every rate on every arm once, in an order
// of its own: a pass is the unit of repetition, so that what one lifetime happened to be like
// (memory layout, how connections fell on workers) is seen as spread and not taken for the arm.
#include "pipeline/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "pipeline/sweep/curve.h"
#include "pipeline/sweep/judge_point.h"
#include "pipeline/sweep/live_points.h"
#include "pipeline/sweep/point_files.h"
#include "pipeline/sweep/rates.h"

namespace hone::pipeline {
namespace {

// Of one point in one run.
constexpr int kMostAttempts = 3;
// Above this share of points that were spoiled in every attempt the machine is unfit, as of rounds
// (prove.cc).
constexpr double kMostLeftOut = 0.2;
// Shorter than a point: a search decides no more than which rates are looked at. Half a second at
// 500/s is 250 requests, of which p99 lets two be late.
constexpr double kProbeSliceS = 0.5;
// Raised when points are measured or judged in another way.
constexpr int kPointVersion = 1;

constexpr std::uint64_t kSearchPurpose = 0x5ea4c4, kOrderPurpose = 0x04de4;

std::uint64_t shape_seed(const SweepDesign& design, const std::string& shape) {
  std::uint64_t seed = design.design.settings.seed;
  for (const char c : shape) seed = derive_seed(seed, static_cast<unsigned char>(c));
  return seed;
}

// Everything that makes points comparable with each other. Not which rates and how many repeats:
// more of them are added to the ones that are there.
Fingerprint sweep_fingerprint(const SweepDesign& design, const subject::Shape& shape) {
  const Design& proof = design.design;
  Fingerprint print;
  print.add("point version", Json(kPointVersion));
  add_to(&print, proof, arms_of(proof), shape);
  Json settings = design.settings;
  for (const char* key : {"rates", "points", "repeats", "p99_limit_ms"}) settings.erase(key);
  print.add("sweep", settings);
  print.add("seed", Json(proof.settings.seed));
  print.add("connections", Json(proof.settings.connections));
  print.add("streams", Json(proof.settings.streams));
  print.add("spinner", Json(proof.settings.spinner));
  return print;
}

// Of all shapes, in this run: whoever quietened the machine and runs again starts with none.
struct Spoiled {
  std::size_t planned = 0, left_out = 0;  // points

  Status leave_out(const std::string& why) {
    ++left_out;
    if (static_cast<double>(left_out) <= kMostLeftOut * static_cast<double>(planned)) return {};
    return fail(
        ErrorKind::kMachineUnfit,
        fmt::format("{} of {} points were spoiled in {} attempts each; the last one because "
                    "{}",
                    left_out, planned, kMostAttempts, why),
        "quiet the machine (`hone doctor` shows what it sees) and run again: finished "
        "points are kept");
  }
};

class ShapeRun {
 public:
  ShapeRun(const SweepDesign& design, const subject::Shape& shape, PointSource& source,
           Spoiled* spoiled, Observer& observer)
      : design_(design),
        arms_(arms_of(design.design)),
        shape_(shape),
        source_(source),
        spoiled_(spoiled),
        observer_(observer) {
    sweep_.shape = shape.name;
    seed_ = shape_seed(design, shape.name);
  }

  Status open(Store& store, system::Files* files) {
    HONE_TRY(const auto folder, store.open("sweeps", sweep_fingerprint(design_, shape_)));
    HONE_TRY(const auto changed, store.use("sweep", "points." + shape_.name, folder));
    for (const std::string& change : changed) {
      observer_.line("points of " + shape_.name + ": measured again, because of " + change);
    }
    files_.emplace(folder, files);
    HONE_TRY(sweep_.points, files_->read());
    for (SweepPoint& point : sweep_.points) {
      // By the limit of this run: the figures are kept, what they are worth is not.
      judge_point(&point, design_.settings);
      if (point.standing != Standing::kFailed) continue;
      // Whoever runs again has mended something: the failure is not the result for ever.
      observer_.line(fmt::format("{} of {}: it failed ({}): measured again", place_of(point),
                                 shape_.name, point.why));
      HONE_CHECK(files_->set_aside(point));
    }
    std::erase_if(sweep_.points,
                  [](const SweepPoint& point) { return point.standing == Standing::kFailed; });
    choose_rates_given();
    return {};
  }

  // The search, where no rates are given or kept.
  Status find_rates() {
    if (!sweep_.rates.empty()) return {};
    FoundRates kept{design_.settings.points, design_.settings.p99_limit_ms, {}, {}};
    HONE_CHECK(source_.begin_pass(shape_, kSearchWarmUpRate));
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
      HONE_TRY(const FoundCeiling found, search(arm));
      kept.found.push_back(found);
    }
    HONE_CHECK(source_.end_pass());
    kept.rates = spread_rates(kept.found, kept.points);
    HONE_CHECK(files_->write_rates(kept));
    sweep_.found = kept.found;
    sweep_.rates = kept.rates;
    return {};
  }

  Status measure_pass(int repeat) {
    Random random(derive_seed(derive_seed(seed_, kOrderPurpose), static_cast<unsigned>(repeat)));
    const std::vector<PassItem> items = pass_order(arms_.size(), sweep_.rates, random);
    bool begun = false;
    for (std::size_t place = 0; place < items.size(); ++place) {
      if (finished(items[place], repeat)) continue;
      if (!begun) HONE_CHECK(source_.begin_pass(shape_, sweep_.rates[sweep_.rates.size() / 2]));
      begun = true;
      HONE_CHECK(measure_point(items[place], repeat, static_cast<int>(place)));
    }
    return begun ? source_.end_pass() : Status{};
  }

  std::size_t planned() const {
    return sweep_.rates.size() * arms_.size() * static_cast<std::size_t>(design_.settings.repeats);
  }

  std::size_t done() const {
    std::size_t count = 0;
    for (const SweepPoint& point : sweep_.points) {
      count += asked_for(point) && point.standing != Standing::kSpoiled ? 1 : 0;
    }
    return count;
  }

  ShapeSweep take() {
    // Others were kept of a sweep over other rates.
    std::erase_if(sweep_.points, [&](const SweepPoint& point) { return !asked_for(point); });
    draw_results(design_, &sweep_);
    return std::move(sweep_);
  }

 private:
  static constexpr double kSearchWarmUpRate = 500;

  static std::string place_of(const SweepPoint& point) {
    return fmt::format("arm {} at {}/s, repeat {}", point.arm, point.rate, point.repeat);
  }

  void choose_rates_given() {
    sweep_.rates = design_.settings.rates;
    if (!sweep_.rates.empty()) return;
    const auto kept = files_->read_rates();
    if (!kept || kept->points != design_.settings.points ||
        kept->p99_limit_ms != design_.settings.p99_limit_ms) {
      return;
    }
    sweep_.found = kept->found;
    sweep_.rates = kept->rates;
  }

  Result<FoundCeiling> search(std::size_t arm) {
    const std::string& name = arms_[arm].name;
    HONE_TRY(const FoundCeiling found, search_ceiling([&](double rate) -> Result<Probe> {
               observer_.progress(fmt::format("{}: arm {} at {}/s, looking for its ceiling",
                                              shape_.name, name, rate),
                                  static_cast<double>(arm), static_cast<double>(arms_.size()));
               const std::uint64_t seed = derive_seed(seed_, kSearchPurpose);
               HONE_TRY(const SweepPoint point,
                        source_.measure({arm, rate, kProbeSliceS, seed,
                                         fmt::format("{}-{}-{}-search", shape_.name, name, rate)}));
               Probe probe;
               probe.generator_limited = point.standing == Standing::kGeneratorLimited;
               probe.held =
                   answers_hold(point, design_.settings, &probe.why) && !probe.generator_limited;
               if (probe.generator_limited) probe.why = point.why;
               return probe;
             }));
    if (found.rate <= 0) {
      return fail(ErrorKind::kNotReady,
                  fmt::format("arm {} holds not even a few requests/s: {}", name, found.why),
                  "look into its log; a higher --p99, or --rates, sweeps a slow server");
    }
    observer_.line(fmt::format("{}: arm {} holds about {}/s; above that: {}", shape_.name, name,
                               found.rate, found.why));
    return found;
  }

  bool asked_for(const SweepPoint& point) const {
    return point.repeat <= design_.settings.repeats &&
           std::find(sweep_.rates.begin(), sweep_.rates.end(), point.rate) != sweep_.rates.end();
  }

  bool same_point(const SweepPoint& point, const PassItem& item, int repeat) const {
    return point.repeat == repeat && point.rate == item.rate && point.arm == arms_[item.arm].name;
  }

  bool finished(const PassItem& item, int repeat) const {
    return std::any_of(sweep_.points.begin(), sweep_.points.end(), [&](const SweepPoint& point) {
      return same_point(point, item, repeat) && point.standing != Standing::kSpoiled;
    });
  }

  // Repeated while the environment spoils it, a bounded number of times; then it stays spoiled.
  Status measure_point(const PassItem& item, int repeat, int place) {
    int earlier = 0;
    for (const SweepPoint& point : sweep_.points) earlier += same_point(point, item, repeat);
    const std::string& name = arms_[item.arm].name;
    // Both arms get the same arrivals at the same rate of a pass, and so does a repetition.
    const std::uint64_t seed = derive_seed(derive_seed(seed_, static_cast<unsigned>(repeat)),
                                           std::bit_cast<std::uint64_t>(item.rate));
    for (int attempt = 1; attempt <= kMostAttempts; ++attempt) {
      observer_.progress(
          fmt::format("{}: arm {} at {}/s, repeat {}", shape_.name, name, item.rate, repeat),
          static_cast<double>(done()), static_cast<double>(planned()));
      HONE_TRY(SweepPoint point,
               source_.measure({item.arm, item.rate, design_.settings.slice_s, seed,
                                fmt::format("{}-{}-{}-{}", shape_.name, name, item.rate, repeat)}));
      point.repeat = repeat;
      point.attempt = earlier + attempt;
      point.place = place;
      HONE_CHECK(files_->write(point));
      tell(point, attempt < kMostAttempts);
      const bool spoiled = point.standing == Standing::kSpoiled;
      sweep_.points.push_back(std::move(point));
      if (!spoiled) return {};
    }
    return spoiled_->leave_out(sweep_.points.back().why);
  }

  void tell(const SweepPoint& point, bool again) {
    if (point.standing == Standing::kSpoiled) {
      observer_.line(
          fmt::format("{} is {}: {}", place_of(point), again ? "repeated" : "left out", point.why));
    }
    if (point.standing == Standing::kFailed) {
      observer_.line(fmt::format("{} failed: {}", place_of(point), point.why));
      if (!point.log.empty()) observer_.line("its log is kept: " + point.log);
    }
  }

  const SweepDesign& design_;
  const std::vector<Arm> arms_;
  const subject::Shape& shape_;
  PointSource& source_;
  Spoiled* spoiled_;
  Observer& observer_;
  std::uint64_t seed_ = 0;
  std::optional<PointFiles> files_;
  ShapeSweep sweep_;
};

void note_spoiled(Sweep* sweep) {
  const SpoiledCount count = count_spoiled(*sweep);
  if (count.spoiled == 0) return;
  sweep->findings.push_back(
      {"sweep.spoiled", "warning",
       fmt::format("{} of {} points were spoiled by the machine in {} attempts each and are left "
                   "out: no ceiling goes past them",
                   count.spoiled, count.asked, kMostAttempts),
       "quiet the machine (`hone doctor` shows what it sees) and run again: finished points are "
       "kept"});
}

}  // namespace

Result<Sweep> run_sweep(const SweepDesign& design, Store& store, PointSource& source,
                        system::Files* files, Observer& observer) {
  std::vector<ShapeRun> shapes;
  Spoiled spoiled;
  for (const subject::Shape& shape : design.design.shapes) {
    HONE_CHECK(shapes.emplace_back(design, shape, source, &spoiled, observer).open(store, files));
    HONE_CHECK(shapes.back().find_rates());
    spoiled.planned += shapes.back().planned();
  }
  // Passes go through the shapes in turn, so that hours of drift fall on all of them alike.
  for (int repeat = 1; repeat <= design.settings.repeats; ++repeat) {
    for (ShapeRun& shape : shapes) HONE_CHECK(shape.measure_pass(repeat));
  }
  Sweep sweep;
  sweep.design = design;
  for (ShapeRun& shape : shapes) sweep.shapes.push_back(shape.take());
  note_spoiled(&sweep);
  return sweep;
}

Result<Sweep> run_sweep(const SweepDesign& design, Store& store, const system::Path& work_folder,
                        system::System& system, Observer& observer) {
  const auto source = make_live_points(design, work_folder, system, observer);
  return run_sweep(design, store, *source, system.files.get(), observer);
}

}  // namespace hone::pipeline
