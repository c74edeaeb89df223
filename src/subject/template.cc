#include "subject/template.h"

#include <kainjow/mustache.hpp>

namespace hone::subject {
namespace {

using kainjow::mustache::data;

// A list longer than this is a slip of the pen, not a route table.
constexpr std::int64_t kLargestList = 1'000'000;

data view_of(const Json& value);

data numbered_list(std::int64_t count) {
  data list{data::type::list};
  for (std::int64_t i = 0; i < count; ++i) {
    data item;
    item.set("index", std::to_string(i));
    list << item;
  }
  return list;
}

void put(data* view, const std::string& name, const Json& value) {
  view->set(name, view_of(value));
  if (!value.is_number_integer()) return;
  const auto count = value.get<std::int64_t>();
  if (count >= 0 && count <= kLargestList) view->set(name + "_list", numbered_list(count));
}

data view_of(const Json& value) {
  if (value.is_object()) {
    data view{data::type::object};
    for (const auto& [name, member] : value.items()) put(&view, name, member);
    return view;
  }
  if (value.is_array()) {
    data list{data::type::list};
    for (const auto& member : value) list << view_of(member);
    return list;
  }
  if (value.is_boolean()) return data{value.get<bool>()};
  if (value.is_string()) return data{value.get<std::string>()};
  return data{value.dump()};
}

}  // namespace

Result<std::string> render(const FileTemplate& file, const Placeholders& placeholders,
                           const Json& config) {
  try {
    kainjow::mustache::mustache engine{file.text};
    if (!engine.is_valid()) {
      return fail(ErrorKind::kRecipe,
                  "the template for " + file.name + " is broken: " + engine.error_message(),
                  "mend the template named in [server] files");
    }
    engine.set_custom_escape([](const std::string& text) { return text; });
    data view = view_of(config.is_object() ? config : Json::object());
    for (const auto& [name, value] : placeholders) view.set(name, data{value});
    return engine.render(view);
  } catch (const std::exception& e) {
    return fail(ErrorKind::kRecipe,
                "the template for " + file.name + " cannot be filled: " + std::string(e.what()));
  }
}

}  // namespace hone::subject
