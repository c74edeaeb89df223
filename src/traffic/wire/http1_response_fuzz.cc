// Any bytes as the answers to HTTP/1.1 requests: no crash, the same events at any split, and
// exactly one event for every request.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/recorded_events.h"

namespace {

using namespace hone::traffic::wire;

// The first byte's bits: HEAD; the peer ends its stream; a new request follows every response.
std::vector<std::string> run(std::uint8_t choice, std::string_view input, std::size_t piece) {
  Request request;
  request.method = (choice & 1) != 0 ? "HEAD" : "GET";
  request.authority = "a.test";
  const auto prepared = prepare(Protocol::kHttp1, request);
  RecordedClient events;
  const auto client = make_client_session(Protocol::kHttp1, 1, &events);
  std::uint64_t submitted = 0;
  const auto submit = [&] {
    if (client->free_slots() == 0) return;
    client->submit(++submitted, *prepared);
    drain(*client);
  };
  if ((choice & 4) != 0) events.then = [&](std::uint64_t) { submit(); };
  submit();
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size()))) {
    if (const auto status = client->receive(input.substr(0, piece)); !status) {
      events.lines.push_back(status.error().what);
      if (!client->closing() || client->open_requests() != 0) std::abort();
      break;
    }
  }
  if ((choice & 2) != 0) client->end_of_input();
  const auto open = static_cast<std::uint64_t>(client->open_requests());
  std::uint64_t told = 0;
  for (const auto& line : events.lines) told += line.find("the HTTP/1 peer") != 0;
  if (told + open != submitted) std::abort();
  events.lines.push_back(client->closing() ? "closing" : "open");
  return events.lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = run(data[0], input, size);
  if (run(data[0], input, 1) != whole) std::abort();
  if (run(data[0], input, 1 + data[1]) != whole) std::abort();
  return 0;
}
