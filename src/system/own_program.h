// Where the running program lies: its own parts (libhone_flush.so) are found from there.
#pragma once

#include "system/files.h"

namespace hone::system {

Path own_program();  // empty when /proc is not mounted

}  // namespace hone::system
