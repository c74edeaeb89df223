#include "base/json.h"

namespace hone {

Result<Json> parse_json(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorKind::kIo, name + " is not JSON: " + e.what(),
                "remove it; hone makes it again");
  }
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace hone
