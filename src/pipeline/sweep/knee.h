// The knee of a latency curve: up to there more load costs little, past it each step costs more.
#pragma once

#include <optional>
#include <vector>

namespace hone::pipeline {

struct KneePoint {
  double rate = 0;
  double p99_us = 0;
};

// The point farthest below the chord between the first and the last one, both axes scaled to 0..1
// and p99 on a logarithmic scale: the `knee` of Satopaa, Albrecht, Irwin and Raghavan, "Finding a
// Kneedle in a Haystack", ICDCS Workshops 2011, without its smoothing. Logarithmic, because past
// saturation p99 grows with the length of a slice and would by itself decide where the knee is.
// `points`: by rate, up to the first saturated one. Nothing with fewer than 4 points, and where the
// curve lies nowhere a tenth below its chord: then it has no knee, or the rates did not reach it.
std::optional<KneePoint> find_knee(const std::vector<KneePoint>& points);

}  // namespace hone::pipeline
