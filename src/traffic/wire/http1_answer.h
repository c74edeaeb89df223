// A Reply as HTTP/1.1 bytes: what comes before the filler, how much filler, what comes after.
#pragma once

#include <cstdint>
#include <string>

#include "traffic/wire/server_session.h"

namespace hone::traffic::wire {

// What of the request decides how its answer is written.
struct Http1Asked {
  bool to_head = false;
  bool minor_version_0 = false;
  bool keep_alive = true;
};

struct Http1Answer {
  std::uint64_t filler = 0;  // bytes of filler still to come
  std::uint64_t offset = 0;  // of the next of them
  bool chunked = false;      // each piece of filler gets a chunk's frame
  bool close = false;        // the connection ends after it
  std::string back;          // after the filler: last chunk and trailers
};

// Appends early hints, the head, and the body when the reply has it as text; the rest is in
// *answer. `date`: of the Date header; empty: none.
void write_answer(const Reply& reply, const Http1Asked& asked, std::string_view date,
                  std::string* front, Http1Answer* answer);

// Appends the next piece of a chunked or plain filler body, at most about 16 KiB.
void write_filler(Http1Answer* answer, std::string* out);

}  // namespace hone::traffic::wire
