// Addresses of the internet protocol as texts.
#pragma once

#include <string>

namespace hone::system {

// "127.0.0.1", "::1": a number and not a name; without brackets, zone or port.
bool is_ip_address(const std::string& text);

}  // namespace hone::system
