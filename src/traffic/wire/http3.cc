#include "traffic/wire/http3.h"

namespace hone::traffic::wire {

tl::unexpected<Error> http3_is_missing() {
  return fail(ErrorKind::kUsage, "this hone was built without HTTP/3",
              "install libngtcp2-dev, libngtcp2-crypto-gnutls-dev, libnghttp3-dev and "
              "libgnutls28-dev (script/setup does), and build again");
}

}  // namespace hone::traffic::wire
