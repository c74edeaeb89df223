// A client's events, kept until the library that they come from is left: from within an event the
// caller may submit.
#pragma once

#include <optional>
#include <vector>

#include "traffic/wire/client_session.h"

namespace hone::traffic::wire {

class KeptEvents {
 public:
  explicit KeptEvents(ClientEvents* events) : events_(events) {}
  // `loss`: none of a request that was answered.
  void add(std::uint64_t id, std::optional<Loss> loss, Failure failure,
           const ResponseSummary& summary) {
    kept_.push_back({id, loss, failure, summary});
  }
  void deliver() {
    // By index: an event may submit, and a submit that fails adds to the list.
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const Event event = kept_[i];
      if (event.loss) {
        events_->on_loss(event.id, *event.loss, event.failure);
      } else {
        events_->on_response(event.id, event.summary);
      }
    }
    kept_.clear();
  }

 private:
  struct Event {
    std::uint64_t id;
    std::optional<Loss> loss;
    Failure failure;
    ResponseSummary summary;
  };
  ClientEvents* const events_;
  std::vector<Event> kept_;
};

}  // namespace hone::traffic::wire
