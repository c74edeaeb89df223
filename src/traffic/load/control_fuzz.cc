// Any line as a message of the load's control, either way: no crash, and what is understood is the
// same after another turn through text.
#include <cstdint>
#include <cstdlib>

#include "traffic/load/control_messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hone::traffic::load;
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  if (const auto request = parse_control_request(line)) {
    const auto text = control_text(*request);
    if (!text) std::abort();  // what JSON has given, JSON can hold
    const auto again = parse_control_request(*text);
    if (!again || *control_text(*again) != *text) std::abort();
  }
  if (const auto answer = parse_control_answer(line)) {
    const auto text = control_text(*answer);
    if (!text) std::abort();
    const auto again = parse_control_answer(*text);
    if (!again || *control_text(*again) != *text) std::abort();
    if (answer->result) (void)to_json(*answer->result);
  }
  (void)check_control_greeting(line);
  return 0;
}
