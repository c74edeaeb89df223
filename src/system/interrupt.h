// Ctrl-C and SIGTERM as a flag that every wait looks at. The second Ctrl-C ends hone at once; the
// supervisors then end the children.
#pragma once

#include "base/error.h"

namespace hone::system {

void catch_interrupts();  // installs the handlers; main calls it once
bool interrupted();
Status check_interrupted();  // kInterrupted when interrupted()
int interrupt_fd();          // readable once interrupted; for poll() beside other descriptors

}  // namespace hone::system
