// errno as an Error: which kind it is, what it means for the user and what mends it.
#pragma once

#include <string>

#include "base/error.h"
#include "system/files.h"

namespace hone::system {

std::string os_message(int error_number);  // "No such file or directory"

// `action` is what was tried: "write", "make the folder". A full disk is named with the space left
// there, a missing right with the user who lacks it.
tl::unexpected<Error> os_fail(int error_number, const std::string& action, const Path& path);

std::string user_name();  // of the effective user: "nobody", or "user 65534" without an entry

}  // namespace hone::system
