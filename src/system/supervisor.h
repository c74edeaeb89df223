// The process between hone and each of its children: the same binary, started as
// `hone supervise`. It is a subreaper, so every descendant that loses its parent becomes its own;
// it holds a pipe to hone and, when that closes, kills all of them and ends. PR_SET_PDEATHSIG on
// the command covers the case that the supervisor itself is killed.
#pragma once

namespace hone::system {

// Call first in main(), before any thread exists. When this process was started as a supervisor it
// does that work and returns its exit status; otherwise it returns -1 and main goes on.
int supervise_if_asked(int argc, char** argv);

}  // namespace hone::system
