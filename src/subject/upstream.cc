// A far origin is counted over HTTP, by the page that it has for everybody. Each question is one
// request more in the next answer, itself included, and is taken away again.
#include "subject/upstream.h"

#include <algorithm>

#include "base/json.h"
#include "subject/far_program.h"
#include "subject/url.h"
#include "system/interrupt.h"
#include "system/line_channel.h"
#include "traffic/origin/origin.h"

namespace hone::subject {
namespace {

using system::net::Address;
using traffic::origin::Origin;

constexpr auto kGreetingLimit = std::chrono::seconds(30);  // as of a far load
constexpr std::size_t kLongestGreeting = 1000;
constexpr double kStatsLimitS = 5;

class NearUpstream final : public Upstream {
 public:
  explicit NearUpstream(system::net::LoopThread* thread) : thread_(thread) {}
  ~NearUpstream() override {
    thread_->call([this] { origin_.reset(); });
  }

  Status listen() {
    Result<std::unique_ptr<Origin>> origin;
    thread_->call([&] { origin = Origin::listen(&thread_->loop(), {}); });
    HONE_TRY(origin_, std::move(origin));
    address_ = {"127.0.0.1", origin_->port()};
    return {};
  }

  const Address& address() const override { return address_; }
  Result<std::uint64_t> requests() override {
    std::uint64_t requests = 0;
    thread_->call([&] { requests = origin_->counters().requests; });
    return requests;
  }

 private:
  system::net::LoopThread* thread_;
  std::unique_ptr<Origin> origin_;  // lives on the thread's loop
  Address address_;
};

class FarUpstream final : public Upstream {
 public:
  explicit FarUpstream(FarProgram program) : program_(std::move(program)) {}

  Status take_greeting(const std::string& host) {
    system::LineChannel channel(program_.from(), program_.to(), kLongestGreeting);
    auto line = channel.read(kGreetingLimit, system::check_interrupted);
    if (!line && line.error().kind == ErrorKind::kInterrupted) {
      return tl::make_unexpected(line.error());
    }
    if (!line || !*line) {
      return lost(line ? "it ended without a word" : line.error().what);
    }
    HONE_TRY(const std::uint16_t port, port_in_greeting(**line));
    address_ = {host, port};
    HONE_TRY(const std::uint64_t asked, requests());  // that it can be reached
    static_cast<void>(asked);
    return {};
  }

  const Address& address() const override { return address_; }
  Result<std::uint64_t> requests() override {
    const auto reply = system::net::http_exchange("GET", address_, "/stats", kStatsLimitS);
    HONE_CHECK(system::check_interrupted());
    if (reply.status != 200) {
      return lost(to_string(address_) + " does not tell its counters: " +
                  (reply.error.empty() ? "status " + std::to_string(reply.status) : reply.error));
    }
    HONE_TRY(const std::uint64_t all, requests_in_stats(reply.body));
    return all - std::min(all, ++questions_);
  }

 private:
  tl::unexpected<Error> lost(const std::string& why) const {
    return tl::make_unexpected(program_.explain(
        fail(ErrorKind::kFarHost, why,
             "see that the address is the origin's host's, and that no firewall is between")
            .value()));
  }

  FarProgram program_;
  Address address_;
  std::uint64_t questions_ = 0;
};

tl::unexpected<Error> no_origin(const std::string& what) {
  return fail(ErrorKind::kFarHost, "the far side does not answer as hone's origin: " + what,
              "run the same version of hone at both ends");
}

}  // namespace

Result<std::uint16_t> port_in_greeting(const std::string& line) {
  constexpr std::string_view kBegin = "listening on ";
  if (!line.starts_with(kBegin)) return no_origin("it says '" + line + "'");
  const auto url = parse_url(line.substr(kBegin.size()));
  if (!url) return no_origin(url.error().what);
  return url->port;
}

Result<std::uint64_t> requests_in_stats(const std::string& text) {
  const auto json = parse_json(text, "the origin's counters");
  if (!json) return no_origin(json.error().what);
  const auto found = json->is_object() ? json->find("requests") : json->end();
  if (found == json->end() || !found->is_number_unsigned()) {
    return no_origin("its counters have no number of requests");
  }
  return found->get<std::uint64_t>();
}

Result<std::unique_ptr<Upstream>> start_upstream(system::net::LoopThread* thread) {
  auto upstream = std::make_unique<NearUpstream>(thread);
  HONE_CHECK(upstream->listen());
  return upstream;
}

Result<std::unique_ptr<Upstream>> start_far_upstream(const Hosts& hosts,
                                                     const std::vector<int>& cpus,
                                                     const system::Path& log,
                                                     system::System& system) {
  const std::string doing = "starting the origin on another host";
  HONE_TRY(const Address listen, system::net::resolve(hosts.origin_address, 0));
  const std::vector<std::string> arguments = {"origin", "--until-closed", "--listen",
                                              to_string(listen)};
  auto program = FarProgram::start(hosts.origin, arguments, cpus, log, system);
  if (!program) return tl::make_unexpected(while_doing(std::move(program).error(), doing));
  auto upstream = std::make_unique<FarUpstream>(*std::move(program));
  if (Status up = upstream->take_greeting(listen.host); !up) {
    return tl::make_unexpected(while_doing(std::move(up).error(), doing));
  }
  return upstream;
}

}  // namespace hone::subject
