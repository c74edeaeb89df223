// The far side of a load session over lines: does what is asked, one thing after the other.
#pragma once

#include <functional>

#include "base/error.h"
#include "system/line_channel.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

// Greets, then answers until the near side closes (no error), a line cannot be read or an answer
// not be written. A message that makes no sense is answered with its error and id 0.
//
// `ended` is called, on a thread of its own, as soon as the near side has closed, whatever is under
// way: who owns the process can end it then. Otherwise a slice under way is cut first.
Status serve_control(LoadSession* session, system::LineChannel* channel,
                     const std::function<void()>& ended = {});

}  // namespace hone::traffic::load
