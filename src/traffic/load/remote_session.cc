// Answers carry the id of what was asked: one that comes after its wait was given up is passed
// over, and the session goes on.
#include "traffic/load/remote_session.h"

#include <algorithm>
#include <atomic>

#include "system/interrupt.h"
#include "system/line_channel.h"
#include "traffic/load/control_messages.h"

namespace hone::traffic::load {
namespace {

using system::Duration;
using Verb = ControlRequest::Verb;

const char* waited_for(Verb verb) {
  switch (verb) {
    case Verb::kConnect:
      return "the far side's load to connect";
    case Verb::kSlice:
      return "the result of a slice on the far side";
    case Verb::kSpread:
      return "the state of the far side's connections";
    case Verb::kClose:
      return "the far side's load to close";
    case Verb::kCut:
      break;
  }
  return "the far side's load";
}

class RemoteSession final : public LoadSession {
 public:
  RemoteSession(int in, int out, Duration patience)
      : channel_(in, out, kLongestControlLine), patience_(patience) {}

  Status greet(Duration limit) {
    auto line = channel_.read(limit, system::check_interrupted);
    if (!line) return tl::make_unexpected(while_doing(lost(line.error(), limit), kGreeting));
    if (!*line) return tl::make_unexpected(gone(kGreeting));
    return check_control_greeting(**line);
  }

  Result<PoolId> connect(const PoolSpec& spec) override {
    ControlRequest request;
    request.verb = Verb::kConnect;
    request.pool_spec = spec;
    // Each address of the name has its own limit.
    const auto addresses = static_cast<double>(1 + spec.target.other_addresses.size());
    HONE_TRY(const ControlAnswer answer,
             ask(std::move(request), system::seconds(spec.connect_limit_s * addresses)));
    if (!answer.pool) return tl::make_unexpected(unfit(Verb::kConnect));
    const PoolId id = *answer.pool;
    connect_limit_s_ = std::max(connect_limit_s_, spec.connect_limit_s);
    return id;
  }

  Result<SliceResult> slice(PoolId id, const SliceSpec& spec) override {
    ControlRequest request;
    request.verb = Verb::kSlice;
    request.pool = id;
    request.slice = spec;
    cut_asked_ = false;
    const Duration drain = system::seconds(spec.drain_limit_s);
    const Duration limit =
        system::seconds(connect_limit_s_) + system::seconds(spec.duration_s) + drain;
    Result<ControlAnswer> answer = ask(std::move(request), limit, /*cuttable=*/true);
    const bool interrupted = !answer && answer.error().kind == ErrorKind::kInterrupted;
    if (!answer && (interrupted || answer.error().kind == ErrorKind::kFarHost)) {
      (void)send_cut();  // where it does not arrive, the wait below says why
      if (interrupted && (spec.keep_interrupted || cut_asked_)) {
        answer = wait(last_id_, Verb::kSlice, drain + patience_, {});
      }
    }
    if (!answer) return tl::make_unexpected(answer.error());
    if (!answer->result) return tl::make_unexpected(unfit(Verb::kSlice));
    SliceResult result = *std::move(answer->result);
    HONE_CHECK(check_identities(result));
    return result;
  }

  void cut() override { cut_asked_ = true; }

  Result<PoolState> spread(PoolId id, const std::vector<int>& redial) override {
    ControlRequest request;
    request.verb = Verb::kSpread;
    request.pool = id;
    request.redial = redial;
    HONE_TRY(const ControlAnswer answer,
             ask(std::move(request), system::seconds(connect_limit_s_)));
    if (!answer.state) return tl::make_unexpected(unfit(Verb::kSpread));
    return *answer.state;
  }

  void close(PoolId id) override {
    ControlRequest request;
    request.verb = Verb::kClose;
    request.pool = id;
    // There is nobody to tell, and the far side ends with its input at the latest.
    (void)ask(std::move(request), {});
  }

 private:
  static constexpr const char* kGreeting = "waiting for the far side's load";

  Error gone(const std::string& doing) {
    return while_doing(fail(ErrorKind::kFarHost, "the far side's load has ended",
                            "see what it wrote to its standard error")
                           .value(),
                       doing);
  }
  // Of a line that did not come or go: what became of the way there is no fault of what is loaded.
  static Error lost(Error error, Duration limit) {
    if (error.kind == ErrorKind::kInterrupted) return error;
    if (error.kind == ErrorKind::kTimeout) {
      error.what = "no answer within " +
                   std::to_string(std::chrono::ceil<std::chrono::seconds>(limit).count()) + " s";
    }
    error.kind = ErrorKind::kFarHost;
    error.next = "see whether the far side still runs, and whether the way there is open";
    return error;
  }
  static Error unfit(Verb verb) {
    return fail(ErrorKind::kFarHost,
                std::string("an answer without what was asked for: ") + waited_for(verb))
        .value();
  }

  Status send(const ControlRequest& request) {
    HONE_TRY(const std::string text, control_text(request));
    if (text.size() > kLongestControlLine) {
      return fail(ErrorKind::kUsage,
                  "the requests are too large to be sent to another process: " +
                      std::to_string(text.size()) + " bytes, and " +
                      std::to_string(kLongestControlLine) + " are the most",
                  "use smaller bodies");
    }
    if (Status sent = channel_.write(text, patience_); !sent) {
      return tl::make_unexpected(
          while_doing(lost(sent.error(), patience_), "asking the far side's load"));
    }
    return {};
  }

  Status send_cut() {
    ControlRequest request;
    request.verb = Verb::kCut;
    return send(request);
  }

  Result<ControlAnswer> ask(ControlRequest request, Duration limit, bool cuttable = false) {
    request.id = ++last_id_;
    HONE_CHECK(send(request));
    return wait(request.id, request.verb, limit + patience_, [this, cuttable]() -> Status {
      if (cuttable && cut_asked_) return fail(ErrorKind::kInterrupted, "cut");
      return system::check_interrupted();
    });
  }

  Result<ControlAnswer> wait(std::uint64_t id, Verb verb, Duration limit,
                             const system::LineChannel::Look& look) {
    const std::string doing = std::string("waiting for ") + waited_for(verb);
    const system::Instant end = std::chrono::steady_clock::now() + limit;
    while (true) {
      auto line = channel_.read(end - std::chrono::steady_clock::now(), look);
      if (!line) {
        return tl::make_unexpected(while_doing(lost(line.error(), limit), doing));
      }
      if (!*line) return tl::make_unexpected(gone(doing));
      Result<ControlAnswer> answer = parse_control_answer(**line);
      if (!answer) return tl::make_unexpected(while_doing(std::move(answer).error(), doing));
      // Id 0: it did not understand.
      if (answer->id != id && answer->id != 0) continue;
      if (answer->error) return tl::make_unexpected(*answer->error);
      return answer;
    }
  }

  system::LineChannel channel_;
  const Duration patience_;
  double connect_limit_s_ = 0;  // the longest of the pools'
  std::uint64_t last_id_ = 0;
  std::atomic<bool> cut_asked_{false};
};

}  // namespace

Result<std::unique_ptr<LoadSession>> make_remote(int in, int out, double greeting_limit_s,
                                                 double patience_s) {
  auto session = std::make_unique<RemoteSession>(in, out, system::seconds(patience_s));
  HONE_CHECK(session->greet(system::seconds(greeting_limit_s)));
  return std::unique_ptr<LoadSession>(std::move(session));
}

}  // namespace hone::traffic::load
