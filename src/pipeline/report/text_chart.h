// Charts drawn with characters: for terminals and for Markdown's code blocks.
#pragma once

#include <string>
#include <vector>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

struct ChartLine {
  std::string text;
  Tone tone = Tone::kPlain;
  bool muted = false;
};

// `width` columns at most, if it is 45 or more. Without `unicode` ASCII alone is used.
std::vector<ChartLine> draw_chart(const Forest&, int width, bool unicode);
// The points alone, each as the first letter of its line, small where it is hollow. text_curves.cc
std::vector<ChartLine> draw_chart(const Curves&, int width, bool unicode);

}  // namespace hone::pipeline::report
