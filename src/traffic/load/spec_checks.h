// Whether a pool or a slice can be what it is asked to be, told before anything begins.
#pragma once

#include "base/error.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

Status check_spec(const PoolSpec& spec);
Status check_spec(const SliceSpec& spec);
// Whether this machine has ports for the connections that the slice will make (kMachineUnfit).
Status check_ports(const PoolSpec& pool, const SliceSpec& slice);

}  // namespace hone::traffic::load
