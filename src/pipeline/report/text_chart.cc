#include "pipeline/report/text_chart.h"

#include <algorithm>
#include <cmath>

#include "pipeline/report/layout.h"

namespace hone::pipeline::report {
namespace {

struct Glyphs {
  const char *line, *low, *high, *estimate, *dot, *zero, *band;
};
constexpr Glyphs kUnicode = {"─", "├", "┤", "◆", "•", "│", "░"};
constexpr Glyphs kUnicodeControl = {"╌", "╟", "╢", "◇", "·", "│", "░"};
constexpr Glyphs kAscii = {"-", "[", "]", "O", "*", "|", " "};
constexpr Glyphs kAsciiControl = {"~", "(", ")", "o", ".", "|", " "};

constexpr int kChartIndent = 2;
constexpr int kLeastPlot = 20;  // fewer cells cannot tell an interval from a point

class Axis {
 public:
  Axis(const Forest& forest, int width) : width_(width) {
    if (forest.ticks.size() < 2) return;
    low_ = forest.ticks.front().at;
    high_ = forest.ticks.back().at;
  }
  std::size_t cell(double value) const {
    const double share = (value - low_) / (high_ - low_);
    const auto at = static_cast<int>(std::lround(share * (width_ - 1)));
    return static_cast<std::size_t>(std::clamp(at, 0, width_ - 1));
  }
  int width() const { return width_; }

 private:
  int width_;
  double low_ = -1, high_ = 1;
};

// Later marks cover earlier ones: the estimate is always seen.
std::string strip(const Forest& forest, const Forest::Row& row, const Axis& axis, const Glyphs& g) {
  std::vector<std::string> cells(static_cast<std::size_t>(axis.width()), " ");
  if (forest.band_low < forest.band_high)
    for (std::size_t i = axis.cell(forest.band_low); i <= axis.cell(forest.band_high); ++i)
      cells[i] = g.band;
  cells[axis.cell(0)] = g.zero;
  for (std::size_t i = axis.cell(row.low); i <= axis.cell(row.high); ++i) cells[i] = g.line;
  for (const double dot : row.dots) cells[axis.cell(dot)] = g.dot;
  cells[axis.cell(row.low)] = g.low;
  cells[axis.cell(row.high)] = g.high;
  cells[axis.cell(row.estimate)] = g.estimate;
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text;
}

// Every n-th tick, counted from zero, n as small as lets labels stand apart.
std::string tick_labels(const Forest& forest, const Axis& axis) {
  const auto zero = std::find_if(forest.ticks.begin(), forest.ticks.end(),
                                 [](const Forest::Tick& tick) { return tick.at >= 0; });
  const auto origin = static_cast<int>(zero - forest.ticks.begin());
  const auto count = static_cast<int>(forest.ticks.size());
  for (int stride = 1; stride <= count; ++stride) {
    std::string line;
    bool apart = true;
    for (int i = 0; i < count; ++i) {
      if ((i - origin) % stride != 0) continue;
      const Forest::Tick& tick = forest.ticks[static_cast<std::size_t>(i)];
      const int label = display_width(tick.label);
      const int from = std::clamp(static_cast<int>(axis.cell(tick.at)) - label / 2, 0,
                                  std::max(0, axis.width() - label));
      const int gap = from - static_cast<int>(line.size());
      apart = apart && (gap > 0 || line.empty());
      line += std::string(static_cast<std::size_t>(std::max(gap, 0)), ' ') + tick.label;
    }
    if (apart) return line;
  }
  return {};
}

std::string ends(const Forest& forest, int width, bool unicode) {
  const std::string left = (unicode ? "← " : "<- ") + forest.left;
  const std::string right = forest.right + (unicode ? " →" : " ->");
  const int gap = width - display_width(left) - display_width(right);
  return gap < 1 ? left : left + std::string(static_cast<std::size_t>(gap), ' ') + right;
}

std::string legend(const Forest& forest, int width, const Glyphs& g) {
  std::string text = std::string(g.estimate) + " effect  " + g.low + g.line + g.high +
                     " 95 % interval  " + g.dot + " one round";
  const std::string band = "  " + std::string(g.band) + " too small to matter";
  if (forest.band_low < forest.band_high && std::string(g.band) != " " &&
      display_width(text + band) <= width)
    text += band;
  return text;
}

}  // namespace

std::vector<ChartLine> draw_chart(const Forest& forest, int width, bool unicode) {
  int labels = 0, figures = 0;
  for (const Forest::Row& row : forest.rows) {
    labels = std::max(labels, display_width(row.label) + (row.control ? 2 : 0));
    figures = std::max(figures, display_width(row.figure));
  }
  int plot = width - kChartIndent - labels - 2 - (figures > 0 ? figures + 2 : 0);
  const bool with_figures = figures > 0 && plot >= kLeastPlot;
  if (!with_figures) plot = std::max(kLeastPlot, width - kChartIndent - labels - 2);
  const Axis axis(forest, plot);
  const std::string margin(static_cast<std::size_t>(kChartIndent + labels + 2), ' ');

  std::vector<ChartLine> lines;
  lines.push_back({std::string(kChartIndent, ' ') +
                       legend(forest, width - kChartIndent, unicode ? kUnicode : kAscii),
                   Tone::kPlain, true});
  lines.push_back({margin + ends(forest, plot, unicode), Tone::kPlain, true});
  for (const Forest::Row& row : forest.rows) {
    const Glyphs& glyphs = unicode ? (row.control ? kUnicodeControl : kUnicode)
                                   : (row.control ? kAsciiControl : kAscii);
    std::string text = std::string(kChartIndent, ' ') +
                       pad((row.control ? "  " : "") + row.label, labels, false) + "  " +
                       strip(forest, row, axis, glyphs);
    if (with_figures) text += "  " + row.figure;
    lines.push_back({text, row.tone, row.control});
  }
  lines.push_back({margin + tick_labels(forest, axis), Tone::kPlain, true});
  return lines;
}

}  // namespace hone::pipeline::report
