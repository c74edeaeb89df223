#include "base/random.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace hone {
namespace {

// splitmix64 by Sebastiano Vigna (public domain); its authors recommend it for seeding xoshiro.
// The constants are theirs.
constexpr std::uint64_t kGoldenGamma = 0x9e3779b97f4a7c15;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  for (std::uint64_t& word : state_) {
    seed += kGoldenGamma;
    word = mix(seed);
  }
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() {
  // The upper 53 bits are what a double can hold without rounding.
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

std::uint64_t Random::below(std::uint64_t n) {
  // 2^64 mod n values are thrown away, so that every remainder is equally likely.
  const std::uint64_t unfair = (0 - n) % n;
  std::uint64_t value = next();
  while (value < unfair) value = next();
  return value % n;
}

double Random::exponential(double mean) { return -mean * std::log1p(-uniform()); }

double Random::normal() {
  // The second value of the pair is not kept: the state stays four words, and a draw does not
  // depend on how many came before it.
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t purpose) {
  return mix(mix(seed + kGoldenGamma) + (purpose + 1) * kGoldenGamma);
}

}  // namespace hone
