// Whether a member is still there is asked on that member's own thread: it cannot leave meanwhile.
#include "traffic/origin/siblings.h"

#include <algorithm>

namespace hone::traffic::origin {

void Siblings::join(system::net::Loop* loop, const Origin* origin) {
  const std::lock_guard lock(mutex_);
  members_.push_back({loop, origin});
}

void Siblings::leave(const Origin* origin) {
  const std::lock_guard lock(mutex_);
  std::erase_if(members_, [origin](const Member& member) { return member.origin == origin; });
}

bool Siblings::has(const Origin* origin) {
  const std::lock_guard lock(mutex_);
  return std::any_of(members_.begin(), members_.end(),
                     [origin](const Member& member) { return member.origin == origin; });
}

void Siblings::sum(const Origin* asker, std::function<void(const OriginCounters&)> done) {
  const auto sum = std::make_shared<Sum>();
  const auto finish = [sum, done = std::move(done)] { done(sum->counters); };
  const std::lock_guard lock(mutex_);
  sum->left = members_.size();
  for (const Member& member : members_) {
    member.loop->post([self = shared_from_this(), origin = member.origin, sum, asker, finish] {
      OriginCounters own;
      if (self->has(origin)) own = origin->counters();
      {
        const std::lock_guard adding(sum->mutex);
        add(&sum->counters, own);
        if (--sum->left > 0) return;
      }
      self->tell(asker, finish);
    });
  }
}

void Siblings::tell(const Origin* asker, std::function<void()> done) {
  const std::lock_guard lock(mutex_);
  for (const Member& member : members_) {
    if (member.origin != asker) continue;
    member.loop->post([self = shared_from_this(), asker, done = std::move(done)] {
      if (self->has(asker)) done();
    });
    return;
  }
}

}  // namespace hone::traffic::origin
