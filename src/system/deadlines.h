// Which of many has the earliest deadline: for owners of many timers behind one Pacer, where each
// event moves a deadline. A heap that knows where each one stands: O(log n), and exact, so that no
// wake finds nothing to do.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "system/clock.h"

namespace hone::system {

class Deadlines {
 public:
  static constexpr std::size_t kNobody = ~std::size_t{0};

  // Numbers from 0 on; memory is for the largest. Instant::max(): it has none.
  void set(std::size_t id, Instant when) {
    if (id >= places_.size()) places_.resize(id + 1, kNobody);
    const std::size_t place = places_[id];
    if (when == Instant::max()) {
      if (place != kNobody) take_out(place);
    } else if (place == kNobody) {
      heap_.push_back({when, id});
      places_[id] = heap_.size() - 1;
      rise(heap_.size() - 1);
    } else if (heap_[place].when != when) {
      heap_[place].when = when;
      rise(place);
      sink(places_[id]);
    }
  }
  Instant earliest() const { return heap_.empty() ? Instant::max() : heap_.front().when; }
  // Whose it is, or kNobody.
  std::size_t first() const { return heap_.empty() ? kNobody : heap_.front().id; }

 private:
  struct Entry {
    Instant when;
    std::size_t id;
  };

  void put(std::size_t place, const Entry& entry) {
    heap_[place] = entry;
    places_[entry.id] = place;
  }
  void exchange(std::size_t a, std::size_t b) {
    const Entry entry = heap_[a];
    put(a, heap_[b]);
    put(b, entry);
  }
  void rise(std::size_t place) {
    for (; place > 0 && heap_[place].when < heap_[(place - 1) / 2].when; place = (place - 1) / 2) {
      exchange(place, (place - 1) / 2);
    }
  }
  void sink(std::size_t place) {
    while (true) {
      std::size_t least = place;
      for (const std::size_t child : {2 * place + 1, 2 * place + 2}) {
        if (child < heap_.size() && heap_[child].when < heap_[least].when) least = child;
      }
      if (least == place) return;
      exchange(place, least);
      place = least;
    }
  }
  void take_out(std::size_t place) {
    places_[heap_[place].id] = kNobody;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (place == heap_.size()) return;
    put(place, last);
    rise(place);
    sink(places_[last.id]);
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> places_;  // by id; kNobody: not in the heap
};

}  // namespace hone::system
