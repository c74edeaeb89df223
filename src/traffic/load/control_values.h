// The load session's values as JSON, whole, and back: for control_messages. The readers throw
// Json's exceptions and std::out_of_range, which end in control_messages.cc.
#pragma once

#include "base/json.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

Json whole_json(const PoolSpec& pool);
Json whole_json(const SliceSpec& slice);
Json whole_json(const SliceResult& result);
Json whole_json(const PoolState& state);

PoolSpec read_pool(const Json& json);
SliceSpec read_slice(const Json& json);
SliceResult read_result(const Json& json);
PoolState read_state(const Json& json);

// A whole number within the bounds, or std::out_of_range with the key's name.
long long whole_number(const Json& json, const char* key, long long least, long long most);

}  // namespace hone::traffic::load
