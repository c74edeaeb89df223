// The origin server by itself, as a small program: the embedded subject that hone hones where no
// other server can be had. Its arguments are read by hand, so that -DHONE_ORIGIN_ONLY=ON builds it
// without the command-line library and everything that needs it.
#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "system/interrupt.h"
#include "system/net/socket.h"
#include "traffic/origin/origin_threads.h"

namespace {

using hone::ErrorKind;
using hone::Result;
using hone::Status;
using hone::traffic::origin::OriginSpec;
using hone::traffic::origin::OriginThreads;

constexpr const char* kUsage =
    "hone_origin [--listen ADDR:PORT] [--tls-cert FILE --tls-key FILE] [--threads N]";

struct Options {
  OriginSpec spec;
  int threads = 1;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return hone::fail(ErrorKind::kUsage, name + " needs a value", kUsage);
    const std::string value = argv[i + 1];
    if (name == "--listen") {
      HONE_TRY(options.spec.listen, hone::system::net::parse_address(value));
    } else if (name == "--tls-cert") {
      options.spec.tls_cert = value;
    } else if (name == "--tls-key") {
      options.spec.tls_key = value;
    } else if (name == "--threads") {
      HONE_TRY(const long long threads, hone::parse_integer(value));
      options.threads = static_cast<int>(std::min<long long>(threads, 1 << 20));
    } else {
      return hone::fail(ErrorKind::kUsage, "unknown option " + name, kUsage);
    }
  }
  return options;
}

Status serve(int argc, char** argv) {
  HONE_TRY(const Options options, parse(argc, argv));
  HONE_TRY(const auto origin, OriginThreads::start(options.spec, options.threads));
  std::printf(
      "listening on %s\n",
      to_string(hone::system::net::Address{options.spec.listen.host, origin->port()}).c_str());
  std::fflush(stdout);
  return hone::traffic::origin::wait_until_interrupted();
}

}  // namespace

int main(int argc, char** argv) {
  hone::system::catch_interrupts();
  if (const Status status = serve(argc, argv); !status) {
    std::fputs(hone::describe(status.error()).c_str(), stderr);
    return hone::exit_code(status.error().kind);
  }
  return 0;
}
