// The bytes of bodies that nobody reads: letters, made once, sent from where they lie.
#pragma once

#include <cstdint>
#include <string_view>

namespace hone::traffic::wire {

// Up to `length` bytes of the body from `offset` on; at least one, at most 256 KiB. The same offset
// always has the same letter: 'a' + offset % 26.
std::string_view filler(std::uint64_t offset, std::uint64_t length);

}  // namespace hone::traffic::wire
