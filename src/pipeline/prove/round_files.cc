#include "pipeline/prove/round_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/text.h"

namespace hone::pipeline {
namespace {

constexpr RoundKind kKinds[] = {RoundKind::kSlices, RoundKind::kInTurn, RoundKind::kWithoutSpinner};

std::string stem(RoundKind kind) { return replace_all(name(kind), " ", "-") + "-"; }

std::string file_name(const Round& round) {
  return fmt::format("{}{:03}-{}.json", stem(round.kind), round.number, round.attempt);
}

std::string simulated_name(const std::string& arm) { return "simulated-" + arm + ".json"; }

bool is_round(const std::string& file) {
  return file.ends_with(".json") &&
         std::any_of(std::begin(kKinds), std::end(kKinds),
                     [&file](RoundKind kind) { return file.starts_with(stem(kind)); });
}

}  // namespace

RoundFiles::RoundFiles(system::Path folder, system::Files* files)
    : folder_(std::move(folder)), files_(files) {}

Result<std::vector<Round>> RoundFiles::read() const {
  std::vector<Round> rounds;
  HONE_TRY(const auto paths, files_->list(folder_));
  for (const auto& path : paths) {
    if (!is_round(path.filename().string())) continue;
    HONE_TRY(const std::string text, files_->read(path));
    HONE_TRY(Round round, parse_as<Round>(text, path.string()));
    rounds.push_back(std::move(round));
  }
  std::sort(rounds.begin(), rounds.end(), [](const Round& a, const Round& b) {
    return std::tie(a.kind, a.number, a.attempt) < std::tie(b.kind, b.number, b.attempt);
  });
  return rounds;
}

Status RoundFiles::write(const Round& round) {
  return files_->write(folder_ / file_name(round), dump(Json(round)));
}

Status RoundFiles::set_aside(const Round& round) {
  return files_->rename(folder_ / file_name(round), folder_ / ("failed-" + file_name(round)));
}

std::optional<ResolvedLoad> RoundFiles::read_rate() const {
  const auto text = files_->read(folder_ / "rate.json");
  if (!text) return std::nullopt;
  auto value = parse_as<ResolvedLoad>(*text, "rate.json");
  if (!value) return std::nullopt;  // unreadable: it is found anew
  return *std::move(value);
}

Status RoundFiles::write_rate(const ResolvedLoad& load) {
  return files_->write(folder_ / "rate.json", dump(Json(load)));
}

std::optional<Simulated> RoundFiles::read_simulated(const std::string& arm) const {
  const auto text = files_->read(folder_ / simulated_name(arm));
  if (!text) return std::nullopt;
  auto value = parse_as<Simulated>(*text, simulated_name(arm));
  if (!value) return std::nullopt;  // unreadable: it is simulated anew
  return *std::move(value);
}

Status RoundFiles::write_simulated(const Simulated& simulated) {
  return files_->write(folder_ / simulated_name(simulated.arm), dump(Json(simulated)));
}

}  // namespace hone::pipeline
