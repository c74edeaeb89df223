// Any bytes as HTTP/1.1 requests (or HTTP/2 ones, after its preface): no crash, and the same
// requests, answers and refusals at any split.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/recorded_events.h"

namespace {

using namespace hone::traffic::wire;

constexpr std::size_t kBodyLimit = 1000;

Reply reply_to(const RequestView& request) {
  Reply reply;
  reply.framing = static_cast<Framing>(request.path.size() % 3);
  reply.body_length = request.path.size() * 10;
  reply.early_hints = static_cast<int>(request.headers->size() % 2);
  reply.close = request.path.size() % 7 == 6;
  if (request.path.size() % 5 == 0) reply.trailers = {{"t", "u"}};
  return reply;
}

// The choice: answers come at once, or at the end and backwards.
std::vector<std::string> run(std::uint8_t choice, std::string_view input, std::size_t piece) {
  RecordedServer events;
  const auto server = make_server_session(Protocol::kHttp1, &events, kBodyLimit);
  const bool later = (choice & 1) != 0;
  std::vector<std::pair<std::uint64_t, Reply>> owed;
  events.then = [&](std::uint64_t stream, const RequestView& request) {
    if (later) {
      owed.emplace_back(stream, reply_to(request));
    } else {
      server->respond(stream, reply_to(request));
    }
  };
  std::string error;
  for (; !input.empty() && error.empty(); input.remove_prefix(std::min(piece, input.size()))) {
    if (const auto status = server->receive(input.substr(0, piece)); !status) {
      error = status.error().what;
    }
  }
  for (auto answer = owed.rbegin(); answer != owed.rend(); ++answer) {
    server->respond(answer->first, answer->second);
  }
  events.lines.push_back(error);
  events.lines.push_back(drain(*server));
  if (!error.empty() && !server->finished()) std::abort();
  server->end_of_input();
  if (!server->finished()) std::abort();
  return events.lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = run(data[0], input, size);
  const auto bytes = run(data[0], input, 1);
  const auto pieces = run(data[0], input, 1 + data[1]);
  // What HTTP/2 sends besides answers depends on the pieces, as it may.
  if (input.substr(0, 14) == "PRI * HTTP/2.0") return 0;
  if (bytes != whole || pieces != whole) std::abort();
  return 0;
}
