// The Date header's text (RFC 9110 5.6.7).
#pragma once

#include <chrono>
#include <string>

namespace hone::traffic::wire {

std::string http_date(std::chrono::sys_seconds time);  // "Sun, 06 Nov 1994 08:49:37 GMT"

}  // namespace hone::traffic::wire
