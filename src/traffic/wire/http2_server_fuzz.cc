// Any bytes as what an HTTP/2 client sends: no crash; every request is answered or told as lost,
// once.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/recorded_events.h"

namespace {

using namespace hone::traffic::wire;

// The preface with the client's first, empty SETTINGS: most inputs are to get past it.
constexpr std::string_view kOpening("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0", 33);

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string input((data[0] & 1) != 0 ? kOpening : std::string_view());
  input.append(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = data[1] == 0 ? input.size() : data[1];
  RecordedServer events;
  const auto server = make_server_session(Protocol::kHttp2, &events, 1000);
  events.then = [&](std::uint64_t stream, const RequestView& request) {
    if ((data[0] & 2) != 0 && stream % 4 == 1) return;  // never answered
    Reply reply;
    reply.framing = static_cast<Framing>(request.path.size() % 3);
    reply.body_length = request.path.size() * 1000;
    reply.early_hints = static_cast<int>(request.path.size() % 2);
    reply.close = request.path.size() % 7 == 6;
    if (request.path.size() % 5 == 0) reply.trailers = {{"t", "u"}};
    server->respond(stream, reply);
  };
  bool refused = false;
  for (std::string_view left = input; !left.empty() && !refused;
       left.remove_prefix(std::min(piece, left.size()))) {
    refused = !server->receive(left.substr(0, piece));
    if ((data[0] & 4) != 0) drain(*server);
  }
  drain(*server);
  if (refused && !server->finished()) std::abort();
  server->end_of_input();
  if (!server->finished()) std::abort();
  std::size_t lost = 0;
  for (const auto& line : events.lines) lost += line.find("lost ") == 0;
  if (lost > events.streams.size()) std::abort();
  for (const auto stream : events.streams) server->respond(stream, Reply());
  return 0;
}
