// What hone and its supervisor say to each other: one socket pair, one JSON object a line.
//
//   hone -> supervisor   the order (first line), then {"signal": 15}; closing it ends everything
//   supervisor -> hone   {"pid": 7} or {"error": {...}}, then {"exit": {...}}, at last {"ended":
//   {...}}
//
// A socket pair and not two pipes: hone can close its sending side and still read the last figures,
// and no write to it ever raises SIGPIPE.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/error_json.h"
#include "base/json.h"

namespace hone::system {

// Where the supervisor finds its descriptors: the first ones after the standard three.
inline constexpr int kChannelFd = 3;
inline constexpr int kStdoutFd = 4;  // only with Order::stdout_pipe
inline constexpr int kStderrFd = 5;  // only with Order::stderr_pipe
inline constexpr int kStdinFd = 6;   // only with Order::stdin_pipe

struct Order {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  // on top of the base environment
  std::string cwd;
  std::string output;
  std::vector<int> cpus;
  std::string user;
  bool own_cgroup = false;
  bool stdout_pipe = false;
  bool stderr_pipe = false;
  bool stdin_pipe = false;
};

struct Ending {    // of the command, or of everything it started
  int status = 0;  // as waitpid() gives it
  double wall_s = 0;
  double cpu_s = 0;  // of all descendants that have ended
  long peak_rss_kib = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Ending, status, wall_s, cpu_s, peak_rss_kib)

std::string to_line(const Order&);
Result<Order> order_from(std::string_view line);
std::string to_line(const Error&);  // error_from() of base reads it
std::string to_line(const std::string& key, const Json& value);

// Bytes of a stream, taken off line by line.
class LineBuffer {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  std::optional<std::string> next();

 private:
  std::string bytes_;
};

// Sends all of it; false when the other end is gone.
bool send_all(int fd, std::string_view bytes);

}  // namespace hone::system
