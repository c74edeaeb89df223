// Bounded waiting for what another process does, for tests.
#pragma once

#include <chrono>
#include <thread>

namespace hone::system {

// Asks `done` until it holds; false when it does not within ten seconds, which on any machine means
// never.
template <typename Done>
bool eventually(Done done) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!done()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace hone::system
