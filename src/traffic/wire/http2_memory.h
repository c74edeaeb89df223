// Where libnghttp2's memory comes from: small blocks are kept for the next request of the thread,
// so that a stream, its header block and its frames cost no malloc each.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>

namespace hone::traffic::wire {

// For nghttp2_session_*_new3(), which copies it. A block may be given back on another thread than
// the one it was taken on.
nghttp2_mem http2_memory();

// Of this thread so far: those that reached the system, because no kept block would do.
std::uint64_t http2_system_allocations();

}  // namespace hone::traffic::wire
