// The report as one HTML page that needs nothing but itself: no network, no script.
#pragma once

#include <string>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

std::string render_html(const Model&);
extern const char* const kHtmlStyle;  // html_style.cc: its style sheet

}  // namespace hone::pipeline::report
