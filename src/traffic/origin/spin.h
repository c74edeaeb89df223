// Work that can be dialled, for a difference between two servers that is known beforehand.
#pragma once

#include <cstdint>

namespace hone::traffic::origin {

// Keeps the calling thread busy for that many turns of a fixed loop: three dependent shifts and
// xors each, in registers, so that its time is the CPU's clock and nothing else.
void spin(std::uint64_t turns);

}  // namespace hone::traffic::origin
