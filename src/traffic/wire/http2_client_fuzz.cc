// Any bytes as what an HTTP/2 server sends: no crash, exactly one event for every request, and no
// request left open after an error or the end of input.
#include <cstdint>
#include <cstdlib>

#include "traffic/wire/recorded_events.h"

namespace {

using namespace hone::traffic::wire;

void check(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::size_t piece = data[1] == 0 ? input.size() : data[1];
  Request request;
  request.authority = "a.test";
  const auto get = prepare(Protocol::kHttp2, request);
  request.method = "POST";
  request.body.assign(100'000, 'b');  // above the first window
  const auto post = prepare(Protocol::kHttp2, request);
  RecordedClient events;
  const auto client = make_client_session(Protocol::kHttp2, 8, &events);
  std::uint64_t submitted = 0;
  const auto submit = [&] {
    if (client->free_slots() == 0) return;
    ++submitted;
    client->submit(submitted, submitted % 3 == 1 ? *post : *get);
  };
  const auto balanced = [&] {
    return events.lines.size() + static_cast<std::size_t>(client->open_requests()) == submitted;
  };
  if ((data[0] & 1) != 0) events.then = [&](std::uint64_t) { submit(); };
  for (int i = 0; i < 4; ++i) submit();
  if ((data[0] & 2) == 0) drain(*client);
  for (; !input.empty(); input.remove_prefix(std::min(piece, input.size()))) {
    const auto status = client->receive(input.substr(0, piece));
    if (!status) {
      check(client->closing() && client->open_requests() == 0);
      break;
    }
    check(balanced());
    check(client->free_slots() >= 0 && client->free_slots() + client->open_requests() <= 8);
    (void)client->window_blocked();
    if ((data[0] & 4) != 0) drain(*client);
  }
  drain(*client);
  client->end_of_input();
  check(client->open_requests() == 0 && client->free_slots() == 0 && balanced());
  return 0;
}
