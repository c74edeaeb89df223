// Any text as a request list: no crash, and what is taken can be written on the wire.
#include <cstdint>
#include <cstdlib>

#include "traffic/load/request_list.h"
#include "traffic/wire/client_session.h"

namespace {

// A body of a named size costs memory and no thought: sizes of more digits are left out here.
bool has_long_number(std::string_view text) {
  constexpr std::size_t kDigits = 6;
  std::size_t digits = 0;
  for (const char c : text) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > kDigits) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone::traffic;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (has_long_number(text)) return 0;
  wire::Request base;
  base.authority = "a.test";
  const auto list = load::parse_request_list(text, "fuzz", base);
  if (!list) return 0;
  for (const load::RequestShare& entry : *list) {
    if (!load::check_request(entry.request) || !(entry.share > 0)) std::abort();
    (void)wire::prepare(wire::Protocol::kHttp1, entry.request);
    (void)wire::prepare(wire::Protocol::kHttp2, entry.request);
  }
  return 0;
}
