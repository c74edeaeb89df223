// For the tests and fuzz targets of this folder: events written down as lines of text, and two
// sessions connected by memory.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/wire/client_session.h"
#include "traffic/wire/server_session.h"

namespace hone::traffic::wire {

class RecordedClient final : public ClientEvents {
 public:
  void on_response(std::uint64_t id, const ResponseSummary& response) override {
    lines.push_back(std::to_string(id) + ": " + std::to_string(response.status) + " with " +
                    std::to_string(response.body_bytes) + " after " +
                    std::to_string(response.informational));
    if (then) then(id);
  }
  void on_loss(std::uint64_t id, Loss why, Failure failure) override {
    const char* names[] = {"reset", "unprocessed", "connection"};
    lines.push_back(std::to_string(id) + ": lost, " + names[static_cast<int>(why)] + ", " +
                    name(failure));
  }
  std::vector<std::string> lines;
  std::function<void(std::uint64_t id)> then;
};

class RecordedServer final : public ServerEvents {
 public:
  bool keeps_body(const RequestView&) override { return keeps; }
  void on_request(std::uint64_t stream, const RequestView& request) override {
    std::string line(request.method);
    line.append(" ").append(request.path).append(" @").append(request.authority);
    for (const Header& header : *request.headers) line += " " + header.name + "=" + header.value;
    if (!request.body.empty()) line.append(" [").append(request.body).append("]");
    lines.push_back(line);
    streams.push_back(stream);
    if (then) then(stream, request);
  }
  void on_request_lost(std::uint64_t stream) override {
    lines.push_back("lost " + std::to_string(stream));
  }
  std::vector<std::string> lines;
  std::vector<std::uint64_t> streams;
  bool keeps = true;
  std::function<void(std::uint64_t stream, const RequestView&)> then;
};

// All that a session has to send, up to `limit` bytes.
template <typename Session>
std::string drain(Session& session, std::size_t limit = std::size_t{1} << 40) {
  std::string sent;
  for (auto piece = session.output(); !piece.empty() && sent.size() < limit;
       piece = session.output()) {
    piece = piece.substr(0, limit - sent.size());
    sent.append(piece);
    session.consume(piece.size());
  }
  return sent;
}

// Carries bytes both ways until neither side has any, in pieces of at most `piece`.
inline Status exchange(ClientSession& client, ServerSession& server,
                       std::size_t piece = std::size_t{1} << 20) {
  while (true) {
    const std::string up = drain(client, piece);
    if (!up.empty()) HONE_CHECK(server.receive(up));
    const std::string down = drain(server, piece);
    if (!down.empty()) HONE_CHECK(client.receive(down));
    if (up.empty() && down.empty()) return {};
  }
}

}  // namespace hone::traffic::wire
