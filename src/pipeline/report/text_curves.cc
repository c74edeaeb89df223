#include <algorithm>
#include <cmath>

#include "pipeline/report/layout.h"
#include "pipeline/report/text_chart.h"

namespace hone::pipeline::report {
namespace {

constexpr int kCurvesIndent = 2;
constexpr int kCurvesRows = 14;     // as wide as high on a screen of 80 columns, about
constexpr int kWidestCurves = 100;  // more only pulls the points apart

// 0 to cells - 1, from the first tick to the last.
int cell_of(const std::vector<Forest::Tick>& ticks, double value, int cells) {
  const double low = ticks.front().at, high = ticks.back().at;
  const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return static_cast<int>(std::lround(share * (cells - 1)));
}

// Labels under their columns, each where it does not touch the one before.
std::string labels_below(const std::vector<Forest::Tick>& ticks, int columns) {
  std::string line;
  for (const Forest::Tick& tick : ticks) {
    const int width = display_width(tick.label);
    const int from =
        std::clamp(cell_of(ticks, tick.at, columns) - width / 2, 0, std::max(0, columns - width));
    const int gap = from - display_width(line);
    if (gap < 1 && !line.empty()) continue;
    line += std::string(static_cast<std::size_t>(std::max(gap, 0)), ' ') + tick.label;
  }
  return line;
}

}  // namespace

std::vector<ChartLine> draw_chart(const Curves& curves, int width, bool unicode) {
  if (curves.x_ticks.size() < 2 || curves.y_ticks.size() < 2) return {};
  int labels = 0;
  for (const Forest::Tick& tick : curves.y_ticks)
    labels = std::max(labels, display_width(tick.label));
  const int columns = std::min(width, kWidestCurves) - kCurvesIndent - labels - 2;
  std::vector<std::string> cells(static_cast<std::size_t>(kCurvesRows * columns), " ");
  const auto cell = [&](int row, int column) -> std::string& {
    return cells[static_cast<std::size_t>((kCurvesRows - 1 - row) * columns + column)];
  };
  for (const Curves::Mark& limit : curves.limits)
    for (int column = 0; column < columns; ++column)
      cell(cell_of(curves.y_ticks, limit.at, kCurvesRows), column) = unicode ? "╌" : "-";
  for (const Curves::Line& line : curves.lines) {
    for (const Curves::Point& point : line.points) {
      std::string& mark = cell(cell_of(curves.y_ticks, point.y, kCurvesRows),
                               cell_of(curves.x_ticks, point.x, columns));
      std::string letter = line.label.substr(0, 1);
      if (point.hollow) std::transform(letter.begin(), letter.end(), letter.begin(), ::tolower);
      const bool taken = mark.size() == 1 && std::isalpha(static_cast<unsigned char>(mark[0]));
      mark = taken && mark != letter ? "*" : letter;
    }
  }
  std::vector<std::string> heads(static_cast<std::size_t>(kCurvesRows));
  for (const Forest::Tick& tick : curves.y_ticks)
    heads[static_cast<std::size_t>(cell_of(curves.y_ticks, tick.at, kCurvesRows))] = tick.label;
  const std::string indent(kCurvesIndent, ' ');
  std::vector<ChartLine> lines = {{indent + curves.y_axis, Tone::kPlain, true}};
  for (int row = kCurvesRows - 1; row >= 0; --row) {
    std::string text =
        indent + pad(heads[static_cast<std::size_t>(row)], labels, true) + (unicode ? " │" : " |");
    for (int column = 0; column < columns; ++column) text += cell(row, column);
    while (text.ends_with(' ')) text.pop_back();
    lines.push_back({text});
  }
  const std::string margin(static_cast<std::size_t>(kCurvesIndent + labels + 2), ' ');
  lines.push_back({margin + labels_below(curves.x_ticks, columns), Tone::kPlain, true});
  lines.push_back({margin + curves.x_axis + "   (small letter: hollow; *: several in one place)",
                   Tone::kPlain, true});
  return lines;
}

}  // namespace hone::pipeline::report
