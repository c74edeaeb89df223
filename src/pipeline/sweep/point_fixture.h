// A point as a sound measurement leaves it, for tests: 1,000 requests in a second, all well.
#pragma once

#include "pipeline/sweep/results.h"

namespace hone::pipeline {

inline SweepPoint sound_point(const std::string& arm = "A", double rate = 1000, int repeat = 1) {
  SweepPoint point;
  point.arm = arm;
  point.rate = rate;
  point.repeat = repeat;
  point.scheduled = point.ok = 1000;
  point.status = {{"200", 1000}};
  point.ok_share = point.in_time = 1;
  point.wall_s = 1;
  point.cpu_s = 0.02;
  point.server_busy = 0.02;
  point.load_busy = 0.01;
  point.latency_us = {100, 150, 500, 900, 1000, 120};
  point.workers.connections = {16};
  return point;
}

}  // namespace hone::pipeline
