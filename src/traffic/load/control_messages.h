// The load session as JSON lines: what `hone load --control` reads and writes (docs/load.md). Every
// value goes over whole, histograms too, so that results merge as if they had been made here.
//
//   {"id": 1, "do": "connect", "pool": {...}}          -> {"id": 1, "pool": 1}
//   {"id": 2, "do": "slice", "pool": 1, "slice": {...}} -> {"id": 2, "result": {...}}
//   {"id": 3, "do": "spread", "pool": 1, "redial": []}  -> {"id": 3, "state": {...}}
//   {"id": 4, "do": "close", "pool": 1}                 -> {"id": 4}
//   {"id": 5, "do": "cut"}: the slice under way ends now, and is answered as ever. No answer of its
//   own.
//
// An answer may be {"id": N, "error": {"kind": ..., "what": ..., "doing": ..., "next": ...}}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

// Of the messages; raised when one changes its meaning. The far side's first line is
// {"hone_load_control": 2}.
inline constexpr int kControlVersion = 2;

// A request list with its bodies must fit; what is longer is not from this program.
inline constexpr std::size_t kLongestControlLine = 64 << 20;

struct ControlRequest {
  enum class Verb { kConnect, kSlice, kSpread, kClose, kCut };
  std::uint64_t id = 0;
  Verb verb = Verb::kClose;
  PoolId pool = 0;  // of slice, spread and close
  PoolSpec pool_spec;
  SliceSpec slice;
  std::vector<int> redial;
};
struct ControlAnswer {
  std::uint64_t id = 0;
  std::optional<Error> error;
  std::optional<PoolId> pool;
  std::optional<SliceResult> result;
  std::optional<PoolState> state;
};

// Errors are kUsage and name the field. One line, without its end.
Result<ControlRequest> parse_control_request(std::string_view line);
Result<ControlAnswer> parse_control_answer(std::string_view line);
// Fails (kUsage) where a text is not UTF-8, which JSON cannot carry.
Result<std::string> control_text(const ControlRequest& request);
Result<std::string> control_text(const ControlAnswer& answer);
std::string control_greeting();
Status check_control_greeting(std::string_view line);

}  // namespace hone::traffic::load
