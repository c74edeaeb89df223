#include "pipeline/prove/proof.h"

namespace hone::pipeline {

std::string block_of(const Round& round) {
  std::string names;
  for (std::size_t i = 1; i + 1 < round.trials.size(); ++i)
    names += (names.empty() ? "" : "+") + round.trials[i].arm;
  return names;
}

}  // namespace hone::pipeline
