// Charts as inline SVG: no script, colours from the page's style sheet, words for screen readers.
#pragma once

#include <string>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

std::string escape_html(const std::string& text);
// `id`: unique in the page; the title and the description hang on it.
std::string render_svg(const Forest&, const std::string& id);
std::string render_svg(const Curves&, const std::string& id);  // svg_curves.cc

}  // namespace hone::pipeline::report
