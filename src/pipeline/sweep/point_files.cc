#include "pipeline/sweep/point_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hone::pipeline {
namespace {

constexpr char kRatesFile[] = "rates.json";

std::string point_file_name(const SweepPoint& point) {
  return fmt::format("point-{:03}-{}-{}-{}.json", point.repeat, point.arm, point.rate,
                     point.attempt);
}

}  // namespace

HONE_JSON_FIELDS(FoundRates, points, p99_limit_ms, found, rates)

PointFiles::PointFiles(system::Path folder, system::Files* files)
    : folder_(std::move(folder)), files_(files) {}

Result<std::vector<SweepPoint>> PointFiles::read() const {
  std::vector<SweepPoint> points;
  HONE_TRY(const auto paths, files_->list(folder_));
  for (const auto& path : paths) {
    const std::string name = path.filename().string();
    if (!name.starts_with("point-") || !name.ends_with(".json")) continue;
    HONE_TRY(const std::string text, files_->read(path));
    HONE_TRY(SweepPoint point, parse_as<SweepPoint>(text, path.string()));
    points.push_back(std::move(point));
  }
  std::sort(points.begin(), points.end(), [](const SweepPoint& a, const SweepPoint& b) {
    return std::tie(a.repeat, a.place, a.attempt) < std::tie(b.repeat, b.place, b.attempt);
  });
  return points;
}

Status PointFiles::write(const SweepPoint& point) {
  return files_->write(folder_ / point_file_name(point), dump(Json(point)));
}

Status PointFiles::set_aside(const SweepPoint& point) {
  const std::string name = point_file_name(point);
  return files_->rename(folder_ / name, folder_ / ("failed-" + name));
}

std::optional<FoundRates> PointFiles::read_rates() const {
  const auto text = files_->read(folder_ / kRatesFile);
  if (!text) return std::nullopt;
  auto value = parse_as<FoundRates>(*text, kRatesFile);
  if (!value) return std::nullopt;  // unreadable: they are found anew
  return *std::move(value);
}

Status PointFiles::write_rates(const FoundRates& rates) {
  return files_->write(folder_ / kRatesFile, dump(Json(rates)));
}

}  // namespace hone::pipeline
