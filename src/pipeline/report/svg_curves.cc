// Arms differ in the form of their points as well as in colour; the label stands at the line's end.
#include <fmt/format.h>

#include <algorithm>

#include "pipeline/report/layout.h"
#include "pipeline/report/svg.h"

namespace hone::pipeline::report {
namespace {

// User units are the page's pixels at full width.
constexpr double kCurvesWidth = 1080, kCurvesHeight = 380;
constexpr double kLeft = 74, kRight = 1000, kTopEdge = 40, kBottomEdge = 326;
constexpr double kPointRadius = 4;

double along(const std::vector<Forest::Tick>& ticks, double value, double from, double to) {
  const double low = ticks.front().at, high = ticks.back().at;
  return from + std::clamp((value - low) / (high - low), 0.0, 1.0) * (to - from);
}

class CurvesDrawing {
 public:
  explicit CurvesDrawing(const Curves& curves) : curves_(curves) {}

  std::string draw() {
    draw_axes();
    for (const Curves::Mark& limit : curves_.limits) {
      add_line(kLeft, y(limit.at), kRight, y(limit.at), "limit");
      add_text(kLeft + 6, y(limit.at) - 5, "start", "tick", limit.label);
    }
    for (std::size_t i = 0; i < curves_.lines.size(); ++i) draw_line(i);
    return std::move(out_);
  }

 private:
  double x(double value) const { return along(curves_.x_ticks, value, kLeft, kRight); }
  double y(double value) const { return along(curves_.y_ticks, value, kBottomEdge, kTopEdge); }

  void add_line(double x1, double y1, double x2, double y2, const char* css) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1,
        x2, y2, css);
  }

  void add_text(double at_x, double at_y, const char* anchor, const char* css,
                const std::string& words) {
    out_ +=
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" class=\"{}\">{}</text>\n",
                    at_x, at_y, anchor, css, escape_html(without_backticks(words)));
  }

  void draw_axes() {
    for (const Forest::Tick& tick : curves_.x_ticks) {
      add_line(x(tick.at), kTopEdge, x(tick.at), kBottomEdge, "grid");
      add_text(x(tick.at), kBottomEdge + 18, "middle", "tick", tick.label);
    }
    for (const Forest::Tick& tick : curves_.y_ticks) {
      add_line(kLeft, y(tick.at), kRight, y(tick.at), "grid");
      add_text(kLeft - 8, y(tick.at) + 4, "end", "tick", tick.label);
    }
    add_line(kLeft, kBottomEdge, kRight, kBottomEdge, "axis");
    add_line(kLeft, kTopEdge, kLeft, kBottomEdge, "axis");
    add_text(kRight, kBottomEdge + 38, "end", "tick", curves_.x_axis);
    add_text(8, 16, "start", "tick", curves_.y_axis);
  }

  void draw_line(std::size_t index) {
    const Curves::Line& line = curves_.lines[index];
    out_ += fmt::format("<g class=\"curves line-{}\">\n", index);
    for (const Curves::Mark& mark : curves_.marks) {
      if (mark.line != index) continue;
      add_line(x(mark.at), kTopEdge, x(mark.at), kBottomEdge, "ceiling");
      add_text(x(mark.at), kTopEdge - 6 - 14.0 * static_cast<double>(index), "middle", "tick",
               mark.label);
    }
    std::string path;
    for (const Curves::Point& point : line.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.x), y(point.y));
    out_ += "<path d=\"" + path + "\" class=\"curve\"/>\n";
    for (const Curves::Point& point : line.points) draw_point(point, index);
    if (!line.points.empty()) {
      const Curves::Point& last = line.points.back();
      add_text(x(last.x) + 10, y(last.y) + 4, "start", "label", line.label);
    }
    out_ += "</g>\n";
  }

  void draw_point(const Curves::Point& point, std::size_t index) {
    if (point.low < point.high)
      add_line(x(point.x), y(point.low), x(point.x), y(point.high), "interval");
    const char* css = point.hollow ? "point hollow" : "point";
    if (index % 2 == 0) {
      out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" class=\"{}\"/>\n",
                          x(point.x), y(point.y), kPointRadius, css);
      return;
    }
    const double half = kPointRadius + 1.5;
    out_ += fmt::format("<path d=\"M{:.1f} {:.1f}l{} {}l-{} {}l-{} -{}z\" class=\"{}\"/>\n",
                        x(point.x), y(point.y) - half, half, half, half, half, half, half, css);
  }

  const Curves& curves_;
  std::string out_;
};

}  // namespace

std::string render_svg(const Curves& curves, const std::string& id) {
  if (curves.x_ticks.size() < 2 || curves.y_ticks.size() < 2) return {};
  return fmt::format(
             "<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" role=\"img\" "
             "aria-labelledby=\"{}-title {}-desc\">\n<title id=\"{}-title\">{}</title>\n<desc "
             "id=\"{}-desc\">{}</desc>\n",
             kCurvesWidth, kCurvesHeight, kCurvesWidth, kCurvesHeight, id, id, id,
             escape_html(without_backticks(curves.title)), id,
             escape_html(without_backticks(curves.description))) +
         CurvesDrawing(curves).draw() + "</svg>\n";
}

}  // namespace hone::pipeline::report
