#include "toolchain/toolchain.h"

namespace hone::toolchain {

HONE_JSON_FIELDS(Toolchain, major, version, cc, cxx, lld, profdata, ar, ranlib, nm, objcopy, strip,
                 size, profile_runtime)

}  // namespace hone::toolchain
