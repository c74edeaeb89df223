// The report as GitHub-flavoured Markdown: the result in the open, the rest folded.
#pragma once

#include <string>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

std::string render_markdown(const Model&);

}  // namespace hone::pipeline::report
