// A session owns three things that must go in this order: the load's pool (it talks to the
// subject), the subject (it talks to the origin), the origin. Their destruction is spelled out in
// ~RealSession.
#include "subject/session.h"

#include "subject/running_server.h"
#include "subject/upstream.h"
#include "subject/url.h"
#include "traffic/wire/tls.h"

namespace hone::subject {
namespace {

using traffic::load::LoadSession;

bool is_loopback(const std::string& host) { return host.starts_with("127.") || host == "::1"; }

class RealSession final : public Session {
 public:
  RealSession(SessionSpec spec, system::System* system, system::net::LoopThread* thread,
              LoadSession* load)
      : spec_(std::move(spec)), system_(system), thread_(thread), load_(load) {}

  ~RealSession() override {
    if (pool_) load_->close(*pool_);
    server_.reset();
    upstream_.reset();
  }

  Status open() {
    HONE_CHECK(system_->files->remove_all(spec_.run_dir));
    HONE_CHECK(system_->files->make_directories(spec_.run_dir));
    HONE_CHECK(start_upstream());
    HONE_CHECK(fill_placeholders());
    HONE_CHECK(choose_target());
    ServerStart start;
    start.name = spec_.name;
    start.spec = spec_.server;
    start.config = spec_.shape.config;
    start.placeholders = placeholders_;
    start.port = pool_spec_.target.address.port;
    start.run_dir = spec_.run_dir;
    start.cpus = spec_.server_cpus;
    start.env = spec_.env;
    HONE_TRY(server_, RunningServer::start(start, system_));
    return {};
  }

  Status connect() override {
    HONE_TRY(pool_, load_->connect(pool_spec_));
    if (spec_.server.workers == 1 || !why_unknowable(pool_spec_.target).empty()) return {};
    HONE_TRY(const WorkerSpread spread, spreader().even_out(*pool_));
    redialled_ = spread.redialled;
    return {};
  }

  Result<WorkerSpread> worker_spread() override {
    WorkerSpread spread;
    if (spec_.server.workers == 1) {
      spread.connections = {pool_spec_.connections};
      return spread;
    }
    spread.unknown = why_unknowable(pool_spec_.target);
    if (!spread.unknown.empty()) return spread;
    HONE_TRY(spread, spreader().read(*pool_));
    spread.redialled = redialled_;
    return spread;
  }

  Result<std::vector<std::string>> fill_words(const std::vector<std::string>& words,
                                              const Placeholders& more) const override {
    Placeholders all = placeholders_;
    all["url"] = url_;
    all["connections"] = std::to_string(spec_.connections);
    all["streams"] = std::to_string(spec_.streams);
    all.insert(more.begin(), more.end());
    return fill(words, all);
  }

  Result<traffic::load::SliceResult> slice(const traffic::load::SliceSpec& slice) override {
    HONE_CHECK(server_->check_alive());
    if (!pool_) return fail(ErrorKind::kInternal, spec_.name + ": slice() before connect()");
    auto result = load_->slice(*pool_, slice);
    HONE_CHECK(server_->check_alive());
    return result;
  }

  pid_t tree_root() const override { return server_->tree_root(); }
  std::vector<pid_t> processes() const override { return server_->processes(); }

  Result<std::uint64_t> upstream_requests() override {
    if (!upstream_) return 0;
    return upstream_->requests();
  }

  double ready_after_s() const override { return server_->ready_after_s(); }
  const system::Path& log() const override { return server_->log(); }
  Status check_alive() override { return server_->check_alive(); }

  Status stop() override {
    if (pool_) load_->close(*pool_);
    pool_.reset();
    return server_->stop();
  }

 private:
  WorkerSpreader spreader() {
    return {load_, spec_.server.workers,
            [this] {
              return system::connection_holders(server_->tree_root(),
                                                pool_spec_.target.address.port);
            },
            system_->clock.get()};
  }

  Status start_upstream() {
    if (!spec_.with_origin) return {};
    if (!spec_.hosts.origin.is_far()) {
      HONE_TRY(upstream_, subject::start_upstream(thread_));
      return {};
    }
    HONE_TRY(upstream_, start_far_upstream(spec_.hosts, spec_.load_cpus,
                                           spec_.run_dir.parent_path() / "origin.log", *system_));
    return {};
  }

  Status fill_placeholders() {
    HONE_TRY(host_, system::net::resolve(spec_.hosts.server_address, 0));
    HONE_TRY(const auto ports, system::net::free_ports(3, host_.host));
    placeholders_ = {{"binary", spec_.binary},
                     {"host", spec_.hosts.server_address},
                     {"port", std::to_string(ports[0])},
                     {"port_tls", std::to_string(ports[1])},
                     {"admin", std::to_string(ports[2])},
                     {"run", spec_.run_dir.string()},
                     {"cert", (spec_.run_dir / "cert.pem").string()},
                     {"key", (spec_.run_dir / "key.pem").string()},
                     {"workers", std::to_string(spec_.server.workers)},
                     {"name", spec_.name}};
    const system::net::Address none{"127.0.0.1", 0};
    const system::net::Address& origin = upstream_ ? upstream_->address() : none;
    placeholders_["origin_host"] = origin.host;
    placeholders_["origin_port"] = std::to_string(origin.port);
    placeholders_["origin"] = to_string(origin);
    HONE_TRY(const auto pair, traffic::wire::make_self_signed_certificate());
    pool_spec_.target.ca_pem = pair.cert_pem;
    HONE_CHECK(system_->files->write(placeholders_["cert"], pair.cert_pem));
    HONE_CHECK(system_->files->write(placeholders_["key"], pair.key_pem));
    return {};
  }

  Status choose_target() {
    const Shape& shape = spec_.shape;
    Url url;
    url.tls = shape.tls;
    url.host = spec_.hosts.server_address;
    HONE_TRY(const auto port, parse_integer(placeholders_[shape.tls ? "port_tls" : "port"]));
    url.port = static_cast<std::uint16_t>(port);
    url.path = shape.path;
    if (!spec_.url.empty()) {
      HONE_TRY(const std::string text, fill(spec_.url, placeholders_));
      HONE_TRY(url, parse_url(text));
    }
    url_ = to_string(url);
    HONE_TRY(pool_spec_.target.address, system::net::resolve(url.host, url.port));
    HONE_CHECK(check_reach(url));
    pool_spec_.target.protocol = shape.protocol;
    pool_spec_.target.tls = url.tls;
    // Subjects of a recipe serve hone's own certificate; a URL of the user's may serve any.
    pool_spec_.target.verify = url.tls && spec_.url.empty();
    pool_spec_.target.sni = "localhost";
    traffic::wire::Request& request = pool_spec_.requests.front().request;
    request.method = shape.method;
    request.scheme = url.tls ? "https" : "http";
    request.authority = to_string(system::net::Address{url.host, url.port});
    request.path = url.path;
    request.headers = shape.headers;
    request.body = std::string(shape.body_bytes, 'b');
    pool_spec_.connections = spec_.connections;
    pool_spec_.streams = spec_.streams;
    return {};
  }

  // Of another host, its own loopback would be asked, or nobody.
  Status check_reach(const Url& url) const {
    const std::string& host = pool_spec_.target.address.host;
    if (!spec_.hosts.load.is_far() || !is_loopback(host) || is_loopback(host_.host)) return {};
    return fail(ErrorKind::kUsage,
                "the load comes from " + to_string(spec_.hosts.load) + ", and " + to_string(url) +
                    " is not this machine there",
                "write {host} in the URL and where the server listens: it is " +
                    spec_.hosts.server_address);
  }

  SessionSpec spec_;
  system::System* system_;
  system::net::LoopThread* thread_;
  LoadSession* load_;
  Placeholders placeholders_;
  traffic::load::PoolSpec pool_spec_;
  system::net::Address host_;  // that the subject is asked at; no port
  std::unique_ptr<Upstream> upstream_;
  std::unique_ptr<RunningServer> server_;
  std::optional<traffic::load::PoolId> pool_;
  std::string url_;
  int redialled_ = 0;
};

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const SessionSpec& spec, system::System& system,
                                                system::net::LoopThread* thread,
                                                LoadSession* load) {
  auto session = std::make_unique<RealSession>(spec, &system, thread, load);
  if (auto opened = session->open(); !opened) {
    return tl::make_unexpected(while_doing(std::move(opened).error(), "starting " + spec.name));
  }
  return session;
}

}  // namespace hone::subject
