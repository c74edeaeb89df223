// One block on one shape at one load: the rounds that a proof has of it, and how many it wants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/prove/block.h"
#include "pipeline/prove/round_files.h"
#include "pipeline/store/store.h"

namespace hone::pipeline {

// With a precision: about four hours for one shape. What is not told apart by then never will be.
inline constexpr int kMostRounds = 1000;

struct Cell {
  Block block;
  const subject::Shape* shape = nullptr;  // of the design, as is the load
  const Load* load = nullptr;
  std::optional<RoundFiles> files;
  ResolvedLoad resolved;      // rate 0: not known yet
  std::vector<Round> rounds;  // spoiled ones too
  int wanted = 0;             // counted rounds, as far as is known
  bool failed = false;        // an arm did: no more rounds are measured
  bool split = false;         // and a cell was opened for the candidate that did not

  void add(Round round);
  bool has(const PlannedRound&) const;  // one that is not spoiled
  int attempts(const PlannedRound&) const;
  int finished(const Prove&) const;  // of those that are planned
  // What is left to compare when the arms that failed fall out.
  Block rest() const;
  bool asks_as(const Cell& other) const { return shape == other.shape && load == other.load; }
};

// Of the first arm that failed; "" when none did.
std::string failure_of(const Round& round);

// Counted rounds in all. Where a precision is asked for it is fixed once, by the first stage: by
// the candidate that scatters most, and kMostRounds at most.
int wanted_rounds(const Design&, const Cell&);

// Everything that makes rounds comparable with each other. Not the number of rounds: more of them
// are added to the ones that are there.
Fingerprint cell_fingerprint(const Design&, const Cell&);

}  // namespace hone::pipeline
