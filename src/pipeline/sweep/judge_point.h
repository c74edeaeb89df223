// What a point shows. Where a proof would call a mark the arm's failure, past the knee it is the
// result: the point is saturated.
#pragma once

#include "pipeline/sweep/results.h"

namespace hone::pipeline {

// Sets `standing` and `why` from the figures; the first that holds:
//   failed             already said: the arm ended, restarted or never came to rest
//   generator-limited  load and origin used more than 80 % of their CPU
//   spoiled            the environment's fault, or connections uneven over the workers
//   saturated          below 99.9 % answered ok, or left in time, or p99 above the limit
//   held               all else
void judge_point(SweepPoint* point, const SweepSettings&);

// The same blind to the machine, for a search that asks again: spoiled and generator-limited points
// are judged by their answers too.
bool answers_hold(const SweepPoint& point, const SweepSettings&, std::string* why);

}  // namespace hone::pipeline
