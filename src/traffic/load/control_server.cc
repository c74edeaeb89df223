// A second thread reads, so that "cut", the near side's end and Ctrl-C are seen while a slice runs.
//
// A cut may come before its slice has begun, which the session would pass over: it is told again at
// every look until that slice has ended.
#include "traffic/load/control_server.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "system/interrupt.h"
#include "traffic/load/control_messages.h"

namespace hone::traffic::load {
namespace {

// The near side waits for each answer before it asks again; more than this is a fault of its own,
// and is not read until there is room.
constexpr std::size_t kMostWaiting = 16;

// The near side reads all the while.
constexpr auto kWriteLimit = std::chrono::seconds(60);

// Of one wait for a line; then it begins another.
constexpr auto kReadSlice = std::chrono::seconds(1);

// How soon the reader notices that the server has stopped, or that there is room again.
constexpr auto kServerLook = std::chrono::milliseconds(50);

class ControlServer {
 public:
  ControlServer(LoadSession* session, system::LineChannel* channel,
                const std::function<void()>& ended)
      : session_(session), channel_(channel), ended_(ended) {}

  Status run() {
    HONE_CHECK(channel_->write(control_greeting(), kWriteLimit));
    std::thread reader([this] { read_all(); });
    Status served;
    while (served) {
      const auto request = next();
      if (!request) break;
      served = answer(*request);
    }
    stopping_ = true;
    changed_.notify_all();
    reader.join();
    return served ? std::move(read_status_) : std::move(served);
  }

 private:
  using Asked = Result<ControlRequest>;

  std::optional<Asked> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_.empty() || read_ended_; });
    if (waiting_.empty()) return std::nullopt;
    Asked request = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    return request;
  }

  void read_all() {
    read_status_ = read_lines();
    if (read_status_ && ended_ && !stopping_) ended_();
    const std::lock_guard lock(mutex_);
    read_ended_ = true;
    cut_wanted_ = true;
    if (slicing_) session_->cut();
    changed_.notify_all();
  }

  Status read_lines() {
    while (!stopping_) {
      auto line = channel_->read(kReadSlice, [this]() -> Status {
        if (stopping_) return fail(ErrorKind::kTimeout, "stopped");
        cut_if_wanted();
        return system::check_interrupted();
      });
      if (!line && line.error().kind == ErrorKind::kTimeout) continue;
      if (!line) return tl::make_unexpected(line.error());
      if (!*line) return {};
      Asked request = parse_control_request(**line);
      if (request && request->verb == ControlRequest::Verb::kCut) {
        want_cut();
      } else {
        keep(std::move(request));
      }
    }
    return {};
  }

  // Of the slice that runs or waits; where there is none, it came too late.
  void want_cut() {
    const std::lock_guard lock(mutex_);
    cut_wanted_ = slicing_ || std::any_of(waiting_.begin(), waiting_.end(), [](const Asked& one) {
                    return one && one->verb == ControlRequest::Verb::kSlice;
                  });
  }

  void cut_if_wanted() {
    const std::lock_guard lock(mutex_);
    if (slicing_ && cut_wanted_) session_->cut();
  }

  Result<SliceResult> slice(const ControlRequest& request) {
    {
      const std::lock_guard lock(mutex_);
      slicing_ = true;
      // There is nobody to look at it again: the reader is gone.
      if (read_ended_) return fail(ErrorKind::kInterrupted, "the control of the load has ended");
    }
    auto result = session_->slice(request.pool, request.slice);
    const std::lock_guard lock(mutex_);
    slicing_ = cut_wanted_ = false;
    return result;
  }

  void keep(Asked request) {
    std::unique_lock lock(mutex_);
    while (waiting_.size() >= kMostWaiting && !stopping_) changed_.wait_for(lock, kServerLook);
    waiting_.push_back(std::move(request));
    changed_.notify_all();
  }

  Status answer(const Asked& request) {
    const ControlAnswer answer =
        request ? act(*request) : ControlAnswer{0, request.error(), {}, {}, {}};
    HONE_TRY(const std::string text, control_text(answer));
    return channel_->write(text, kWriteLimit);
  }

  ControlAnswer act(const ControlRequest& request) {
    ControlAnswer answer;
    answer.id = request.id;
    const auto take = [&answer](auto result, auto* value) {
      if (result) {
        *value = std::move(*result);
      } else {
        answer.error = std::move(result).error();
      }
    };
    switch (request.verb) {
      case ControlRequest::Verb::kConnect:
        take(session_->connect(request.pool_spec), &answer.pool);
        break;
      case ControlRequest::Verb::kSlice:
        take(slice(request), &answer.result);
        break;
      case ControlRequest::Verb::kSpread:
        take(session_->spread(request.pool, request.redial), &answer.state);
        break;
      case ControlRequest::Verb::kClose:
        session_->close(request.pool);
        break;
      case ControlRequest::Verb::kCut:
        break;  // the reader has done it
    }
    return answer;
  }

  LoadSession* const session_;
  system::LineChannel* const channel_;
  const std::function<void()> ended_;
  std::atomic<bool> stopping_{false};
  Status read_status_;  // the reader's, until it is joined

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Asked> waiting_;
  bool read_ended_ = false;
  bool slicing_ = false;     // the session is, for the request taken last
  bool cut_wanted_ = false;  // of that slice, or of the one that waits
};

}  // namespace

Status serve_control(LoadSession* session, system::LineChannel* channel,
                     const std::function<void()>& ended) {
  return ControlServer(session, channel, ended).run();
}

}  // namespace hone::traffic::load
