#include "pipeline/report/svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "pipeline/report/layout.h"

namespace hone::pipeline::report {
namespace {

// User units are the page's pixels at full width.
constexpr double kWidth = 1080, kLabels = 150, kFigures = 210, kTop = 26, kBottom = 30;
constexpr double kRow = 24, kControlRow = 18, kGroupGap = 7;
constexpr double kPlotLeft = kLabels, kPlotRight = kWidth - kFigures;
constexpr double kBaseline = 4;  // from a row's middle down to its text's base line

double x_of(const Forest& forest, double value) {
  const double low = forest.ticks.front().at, high = forest.ticks.back().at;
  const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return kPlotLeft + share * (kPlotRight - kPlotLeft);
}

double height_of(const Forest& forest) {
  double height = kTop + kBottom;
  for (const Forest::Row& row : forest.rows) height += row.control ? kControlRow : kRow + kGroupGap;
  return height;
}

std::string text(double x, double y, const char* anchor, const char* css,
                 const std::string& words) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                     x, y, anchor, css, escape_html(without_backticks(words)));
}

std::string line(double x1, double y1, double x2, double y2, const char* css) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2,
      y2, css);
}

std::string grid(const Forest& forest, double height) {
  std::string out;
  const double bottom = height - kBottom;
  if (forest.band_low < forest.band_high) {
    const double from = x_of(forest, forest.band_low), to = x_of(forest, forest.band_high);
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"band\"/>\n",
        from, kTop, to - from, bottom - kTop);
  }
  for (const Forest::Tick& tick : forest.ticks) {
    const double x = x_of(forest, tick.at);
    out += line(x, kTop, x, bottom, tick.at == 0 ? "zero" : "grid");
    out += text(x, bottom + 17, "middle", "tick", tick.label);
  }
  out += text(kPlotLeft, kTop - 10, "start", "tick", "← " + forest.left);
  out += text(kPlotRight, kTop - 10, "end", "tick", forest.right + " →");
  return out;
}

const char* tone_class(const Forest::Row& row) {
  if (row.control) return "control";
  switch (row.tone) {
    case Tone::kGood:
      return "good";
    case Tone::kBad:
      return "bad";
    case Tone::kNote:
      return "caution";
    case Tone::kPlain:
      return "plain";
  }
  return "plain";
}

std::string marks(const Forest& forest, const Forest::Row& row, double y) {
  const double radius = row.control ? 2.4 : 3.4, cap = row.control ? 3.5 : 5.5;
  const double low = x_of(forest, row.low), high = x_of(forest, row.high);
  const double middle = x_of(forest, row.estimate), half = row.control ? 4 : 6;
  std::string out = line(low, y, high, y, "interval") +
                    line(low, y - cap, low, y + cap, "interval") +
                    line(high, y - cap, high, y + cap, "interval");
  for (const double dot : row.dots)
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"dot\"/>\n",
                       x_of(forest, dot), y, radius);
  out += fmt::format("<path d=\"M{:.1f} {:.1f}l{} {}l-{} {}l-{} -{}z\" class=\"mean\"/>\n", middle,
                     y - half, half, half, half, half, half, half);
  return out;
}

}  // namespace

std::string escape_html(const std::string& text) {
  std::string out = replace_all(text, "&", "&amp;");
  out = replace_all(std::move(out), "<", "&lt;");
  out = replace_all(std::move(out), ">", "&gt;");
  return replace_all(std::move(out), "\"", "&quot;");
}

std::string render_svg(const Forest& forest, const std::string& id) {
  if (forest.ticks.size() < 2) return {};
  const double height = height_of(forest);
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" "
      "aria-labelledby=\"{}-title {}-desc\">\n<title id=\"{}-title\">{}</title>\n<desc "
      "id=\"{}-desc\">{}"
      "</desc>\n",
      kWidth, height, kWidth, height, id, id, id,
      escape_html(without_backticks(forest.title + ": " + forest.axis)), id,
      escape_html(without_backticks(forest.description)));
  out += grid(forest, height);
  double y = kTop;
  for (const Forest::Row& row : forest.rows) {
    const double size = row.control ? kControlRow : kRow + kGroupGap;
    const double middle = y + (row.control ? kControlRow / 2 : kGroupGap + kRow / 2);
    out += fmt::format("<g class=\"{}\">\n", tone_class(row));
    out += text(kPlotLeft - 12, middle + kBaseline, "end", "label", row.label);
    out += marks(forest, row, middle);
    out += text(kPlotRight + 14, middle + kBaseline, "start", "figure", row.figure);
    out += "</g>\n";
    y += size;
  }
  return out + "</svg>\n";
}

}  // namespace hone::pipeline::report
