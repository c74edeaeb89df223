#include "base/error_json.h"

#include <string_view>

namespace hone {

Json error_json(const Error& error) {
  return Json{
      {"kind", exit_code(error.kind)}, {"name", name(error.kind)}, {"what", error.what},
      {"doing", error.doing},          {"next", error.next},       {"log_file", error.log_file}};
}

Error error_from(const Json& json) {
  Error error;
  // An exit code that is none of ours would be a kind that no switch knows.
  const auto kind = static_cast<ErrorKind>(json.value("kind", exit_code(ErrorKind::kInternal)));
  const bool known = std::string_view(name(kind)) != name(ErrorKind::kInternal);
  error.kind = known ? kind : ErrorKind::kInternal;
  error.what = json.value("what", "");
  error.doing = json.value("doing", "");
  error.next = json.value("next", "");
  error.log_file = json.value("log_file", "");
  return error;
}

}  // namespace hone
