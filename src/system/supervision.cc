#include "system/supervision.h"

#include <sys/socket.h>

#include <cerrno>

namespace hone::system {
namespace {

// Arguments, paths and the environment are bytes, JSON is UTF-8. Every byte travels as the code
// point of its value, so that a name in Latin-1 arrives as it was.
std::string as_text(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

std::string as_bytes(const std::string& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x80 && i + 1 < text.size()) {
      bytes += static_cast<char>((byte << 6) | (static_cast<unsigned char>(text[++i]) & 0x3F));
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

std::string one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string to_line(const Order& order) {
  Json argv = Json::array();
  for (const std::string& word : order.argv) argv.push_back(as_text(word));
  Json env = Json::object();
  for (const auto& [name, value] : order.env) env[as_text(name)] = as_text(value);
  return one_line(Json{{"argv", argv},
                       {"env", env},
                       {"cwd", as_text(order.cwd)},
                       {"output", as_text(order.output)},
                       {"cpus", order.cpus},
                       {"user", as_text(order.user)},
                       {"own_cgroup", order.own_cgroup},
                       {"stdout_pipe", order.stdout_pipe},
                       {"stderr_pipe", order.stderr_pipe},
                       {"stdin_pipe", order.stdin_pipe}});
}

Result<Order> order_from(std::string_view line) {
  HONE_TRY(const Json json, parse_json(line, "the supervisor's order"));
  try {
    Order order;
    for (const Json& word : json.at("argv")) order.argv.push_back(as_bytes(word));
    for (const auto& [name, value] : json.at("env").items())
      order.env[as_bytes(name)] = as_bytes(value);
    order.cwd = as_bytes(json.at("cwd"));
    order.output = as_bytes(json.at("output"));
    order.cpus = json.at("cpus").get<std::vector<int>>();
    order.user = as_bytes(json.at("user"));
    order.own_cgroup = json.at("own_cgroup").get<bool>();
    order.stdout_pipe = json.at("stdout_pipe").get<bool>();
    order.stderr_pipe = json.at("stderr_pipe").get<bool>();
    order.stdin_pipe = json.at("stdin_pipe").get<bool>();
    return order;
  } catch (const nlohmann::json::exception& e) {
    return fail(ErrorKind::kInternal,
                std::string("the supervisor cannot read its order: ") + e.what());
  }
}

std::string to_line(const Error& error) { return to_line("error", error_json(error)); }

std::string to_line(const std::string& key, const Json& value) {
  return one_line(Json{{key, value}});
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = bytes_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace hone::system
