// Any bytes as gRPC messages and as a status: the reader says the same at any split, and a message
// that we made is read as one.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/grpc.h"

namespace {

using namespace hone::traffic::wire;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  GrpcReader whole;
  whole.take(input);
  GrpcReader bytes;
  for (const char& byte : input) bytes.take({&byte, 1});
  check(whole.has_one_message() == bytes.has_one_message());
  GrpcReader ours;
  ours.take(grpc_message(input));
  check(ours.has_one_message());
  ours.take(input);
  check(ours.has_one_message() == input.empty());
  const int status = parse_grpc_status(input);
  check(status >= 0 && status <= kGrpcMostStatus);
  return 0;
}
