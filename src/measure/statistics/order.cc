// The usual Williams rows balance who follows whom within rows; laid end to end, the seams between
// rows add transitions of their own, some from an arm to itself. Here the whole sequence is
// balanced instead: a transition is an arc of the complete digraph on the arms, and a closed walk
// that uses every arc once (an Eulerian circuit, arms x (arms - 1) slices long) lets every arm
// follow every other exactly once. Only circuits that fall into blocks, each block a permutation of
// the arms, are drawn, so that positions are balanced as well. Circuits that start at one arm join
// end to end; the rest of the slices is the beginning of one more circuit, whose arcs are distinct:
// so all counts stay within one.
//
// Circuits differ in how early they serve each arm. Of several drawn sequences the one whose arms
// have the most equal mean positions is taken: about one slice apart at eight slices, so that of a
// linear drift over 24 slices a twentieth is left. Labels are drawn last, so that over rounds every
// arm is first, or early by that much, equally often.
#include "measure/statistics/order.h"

#include <algorithm>

namespace hone::measure {
namespace {

// More did not bring mean positions nearer at 2 to 12 slices; a draw costs microseconds.
constexpr int kDraws = 32;

class CircuitSearch {
 public:
  CircuitSearch(int arms, Random& random)
      : arms_(arms), random_(random), used_(arc(arms, 0), false) {}

  // A closed walk through all arcs from arm 0, in blocks. One exists for 2, 3 and 4 arms:
  // 01, 012 021 and 0123 0213 1032. The search meets one within a few hundred steps.
  std::vector<int> draw() {
    walk_.assign(1, 0);
    std::fill(used_.begin(), used_.end(), false);
    extend();
    return walk_;
  }

 private:
  std::size_t arc(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(arms_) +
           static_cast<std::size_t>(to);
  }

  bool extend() {
    const int length = arms_ * (arms_ - 1);
    const int last = walk_.back();
    if (static_cast<int>(walk_.size()) == length) return last != 0 && !used_[arc(last, 0)];
    std::vector<int> choices;
    for (int next = 0; next < arms_; ++next) {
      if (next != last && !used_[arc(last, next)] && !in_block(next)) choices.push_back(next);
    }
    random_.shuffle(choices);
    for (const int next : choices) {
      used_[arc(last, next)] = true;
      walk_.push_back(next);
      if (extend()) return true;
      walk_.pop_back();
      used_[arc(last, next)] = false;
    }
    return false;
  }

  bool in_block(int arm) const {
    const auto in_block = static_cast<std::ptrdiff_t>(walk_.size()) % arms_;
    return std::find(walk_.end() - in_block, walk_.end(), arm) != walk_.end();
  }

  int arms_;
  Random& random_;
  std::vector<bool> used_;  // by arc
  std::vector<int> walk_;
};

// Largest difference between two arms' sums of positions.
long position_spread(const std::vector<int>& order, int arms) {
  std::vector<long> sums(arms, 0);
  for (std::size_t i = 0; i < order.size(); ++i) sums[order[i]] += static_cast<long>(i);
  const auto [low, high] = std::minmax_element(sums.begin(), sums.end());
  return *high - *low;
}

}  // namespace

std::vector<int> slice_order(int arms, int slices, Random& random) {
  if (arms < 2 || arms > 4 || slices < 1) return {};
  const std::size_t length = static_cast<std::size_t>(arms) * static_cast<std::size_t>(slices);
  CircuitSearch search(arms, random);
  std::vector<int> best;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<int> order;
    while (order.size() < length) {
      const std::vector<int> circuit = search.draw();
      order.insert(order.end(), circuit.begin(), circuit.end());
    }
    order.resize(length);
    if (best.empty() || position_spread(order, arms) < position_spread(best, arms)) {
      best = std::move(order);
    }
  }
  std::vector<int> labels;
  for (int arm = 0; arm < arms; ++arm) labels.push_back(arm);
  random.shuffle(labels);
  for (int& arm : best) arm = labels[static_cast<std::size_t>(arm)];
  return best;
}

}  // namespace hone::measure
