// A load session whose far side is another process, on this machine or another: `hone load
// --control` at the other end of a pipe, a socket or an ssh.
#pragma once

#include <memory>

#include "base/error.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

// `in` and `out` are the near ends; they are not owned and outlive the session. Waits for the far
// side's greeting, `greeting_limit_s` at most. The far side may be slower than its own limits by
// `patience_s`, for the way there and back: after that a wait is an error that says what for.
// Where the far side is lost the kind is kFarHost; other kinds are what it tells of its own work.
Result<std::unique_ptr<LoadSession>> make_remote(int in, int out, double greeting_limit_s = 10,
                                                 double patience_s = 30);

}  // namespace hone::traffic::load
