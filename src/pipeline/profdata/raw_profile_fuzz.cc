// A raw profile is written by a process that may be killed at any byte: whatever is in the file,
// reading its head ends in a value or an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "pipeline/profdata/raw_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto profile = hone::pipeline::read_raw_profile(bytes, "input");
  if (profile && profile->least_bytes > size) std::abort();
  return 0;
}
