// Configuration files from mustache templates.
#pragma once

#include <string>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "subject/server_spec.h"

namespace hone::subject {

// The view holds every placeholder by name and every member of `config`. A whole number N under
// name `routes` is also the list `routes_list` of N items, each with `index` (0 to N-1), so a
// thousand routes need no thousand lines in the recipe. Escaping is off: these are not HTML pages.
// kRecipe with mustache's own message when the template is broken.
Result<std::string> render(const FileTemplate&, const Placeholders&, const Json& config);

}  // namespace hone::subject
