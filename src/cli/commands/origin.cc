#include "cli/commands/origin.h"

#include <cstdio>
#include <memory>
#include <string>

#include "cli/console.h"
#include "system/net/socket.h"
#include "traffic/origin/origin_threads.h"

namespace hone::cli {
namespace {

constexpr const char* kOriginExamples =
    "Paths: /bytes/N  /headers/COUNT/LENGTH  /delay/MS/bytes/N  /status/CODE  /chunked/N\n"
    "/spin/TURNS/bytes/N (busy that long before it answers)  /chunked/N/trailers  /close/N (ended "
    "by close)  /early-hints/N  /echo  /stats (JSON)\n"
    "/grpc/... (a unary call: its message back)  /grpc/status/N (a call that fails so)\n"
    "\n"
    "Examples:\n"
    "  hone origin --listen 127.0.0.1:8080\n"
    "  curl -i http://127.0.0.1:8080/headers/20/100\n"
    "  curl --http2-prior-knowledge http://127.0.0.1:8080/bytes/4096\n"
    "  hone origin --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem --threads 2\n"
    "  hone origin --listen 127.0.0.1:8443 --tls-cert cert.pem --tls-key key.pem --protocol h3\n";

struct Options {
  std::string listen;
  std::string protocol;
  int threads = 1;
  bool until_closed = false;
  traffic::origin::OriginSpec spec;
};

Status serve(const Options& options) {
  traffic::origin::OriginSpec spec = options.spec;
  spec.http3 = options.protocol == "h3";
  HONE_TRY(spec.listen, system::net::parse_address(options.listen));
  HONE_TRY(const auto origin, traffic::origin::OriginThreads::start(spec, options.threads));
  const system::net::Address bound{spec.listen.host, origin->port()};
  std::printf("listening on %s%s\n", spec.tls_cert.empty() ? "http://" : "https://",
              to_string(bound).c_str());
  std::fflush(stdout);  // scripts read the port from a pipe
  constexpr int kStdin = 0;
  return traffic::origin::wait_until_interrupted(options.until_closed ? kStdin : -1);
}

}  // namespace

void add_origin(CLI::App& app, system::System& /*system*/, int* exit_code) {
  auto* verb = app.add_subcommand("origin", "a server to load or to stand behind a proxy");
  auto options = std::make_shared<Options>();
  verb->add_option("--listen", options->listen, "ADDR:PORT; port 0: any free one, printed")
      ->required();
  auto* cert = verb->add_option("--tls-cert", options->spec.tls_cert, "PEM file: serve TLS");
  auto* key = verb->add_option("--tls-key", options->spec.tls_key, "PEM file of its key");
  cert->needs(key);
  key->needs(cert);
  verb->add_option("--threads", options->threads,
                   "threads, each with its share of the connections; /stats tells of all")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  verb->add_option(
          "--protocol", options->protocol,
          "h3: HTTP/3 too, on the UDP port of the same number (needs a certificate); h1 or "
          "h2: both are always served, HTTP/2 by ALPN or prior knowledge")
      ->check(CLI::IsMember({"h1", "h2", "h3"}));
  verb->add_flag("--until-closed", options->until_closed,
                 "end when standard input does: with whoever started it, over ssh too");
  verb->footer(kOriginExamples);
  verb->callback([options, exit_code] {
    const Status served = serve(*options);
    *exit_code = served ? 0 : report_error(served.error());
  });
}

}  // namespace hone::cli
