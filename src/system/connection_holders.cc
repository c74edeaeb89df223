// Rejected: putting load on one connection at a time and seeing whose CPU clock moves. It takes a
// slice per connection, and a worker's background work looks like the answer.
#include "system/connection_holders.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "system/proc.h"

namespace hone::system {
namespace {

// "0100007F:1F90" -> 0x1F90
std::optional<std::uint16_t> port_of(std::string_view endpoint) {
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view digits = endpoint.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port, 16);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return port;
}

using Inodes = std::unordered_map<std::uint64_t, std::uint16_t>;  // socket -> the peer's port

// The tables are of the server's own network namespace.
Inodes connections_to(std::uint16_t port, pid_t pid) {
  Inodes found;
  for (const char* table : {"/net/tcp", "/net/tcp6"}) {
    const auto text = read_proc("/proc/" + std::to_string(pid) + table);
    if (!text) continue;
    for (const ServerEnd& end : server_ends(*text, port)) found.emplace(end.inode, end.peer_port);
  }
  return found;
}

struct Descriptors {
  std::unordered_map<int, std::uint16_t> connections;  // to the peer's port
  std::vector<int> epolls;
};

Result<Descriptors> descriptors_of(const ProcStat& process, const Inodes& inodes) {
  const std::string directory = "/proc/" + std::to_string(process.pid) + "/fd/";
  const auto hidden = [&process] {
    return fail(ErrorKind::kPermission,
                "cannot see which connections " + process.name + " (pid " +
                    std::to_string(process.pid) + ") holds: its descriptors are hidden",
                "run hone as root, or as the server's user");
  };
  if (::access(directory.c_str(), R_OK) != 0 && errno == EACCES) return hidden();
  Descriptors found;
  for (const int fd : numbered_entries(directory)) {
    std::array<char, 64> target{};  // longer ones are files
    const ssize_t size =
        ::readlink((directory + std::to_string(fd)).c_str(), target.data(), target.size());
    if (size < 0 && (errno == EACCES || errno == EPERM)) return hidden();
    if (size <= 0) continue;
    const std::string_view link(target.data(), static_cast<std::size_t>(size));
    if (link == "anon_inode:[eventpoll]") found.epolls.push_back(fd);
    const auto inode = socket_inode(link);
    const auto known = inode ? inodes.find(*inode) : inodes.end();
    if (known != inodes.end()) found.connections.emplace(fd, known->second);
  }
  return found;
}

}  // namespace

std::vector<ServerEnd> server_ends(std::string_view table, std::uint16_t port) {
  // State 01 is TCP_ESTABLISHED (include/net/tcp_states.h); columns as in listening_inodes().
  std::vector<ServerEnd> ends;
  for (const std::string& line : split(table, '\n')) {
    const std::vector<std::string> fields = split_words(line);
    if (fields.size() < 10 || fields[3] != "01" || port_of(fields[1]) != port) continue;
    const auto peer = port_of(fields[2]);
    const auto inode = parse_integer(fields[9]);
    if (peer && inode && *inode > 0) ends.push_back({*peer, static_cast<std::uint64_t>(*inode)});
  }
  return ends;
}

std::vector<int> watched_descriptors(std::string_view fdinfo) {
  std::vector<int> watched;
  for (const std::string& line : split(fdinfo, '\n')) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() < 2 || words[0] != "tfd:") continue;
    if (const auto fd = parse_integer(words[1])) watched.push_back(static_cast<int>(*fd));
  }
  return watched;
}

Result<std::map<std::uint16_t, Holder>> connection_holders(pid_t root, std::uint16_t port) {
  const std::vector<ProcStat> all = all_processes();
  std::vector<ProcStat> members = descendants(all, root);
  for (const ProcStat& process : all) {
    if (process.pid == root) members.push_back(process);
  }
  if (members.empty()) {
    return fail(ErrorKind::kNotFound, "process " + std::to_string(root) + " is gone");
  }
  std::map<std::uint16_t, Holder> holders;
  const Inodes inodes = connections_to(port, members.front().pid);
  for (const ProcStat& process : members) {
    HONE_TRY(const Descriptors found, descriptors_of(process, inodes));
    for (const auto& [fd, peer] : found.connections) {
      holders.emplace(peer, Holder{process.pid, -1});
    }
    for (const int epoll : found.epolls) {
      const auto text =
          read_proc("/proc/" + std::to_string(process.pid) + "/fdinfo/" + std::to_string(epoll));
      if (!text) continue;
      for (const int fd : watched_descriptors(*text)) {
        const auto known = found.connections.find(fd);
        if (known != found.connections.end()) holders[known->second] = {process.pid, epoll};
      }
    }
  }
  return holders;
}

}  // namespace hone::system
