// Compilers, linkers and configure scripts name the cause; make, ninja and the compiler driver only
// report that something failed. So lines of the first kind win wherever they stand; only when there
// is none does the first line of the second kind serve, and at last the last line at all.

#include "build_systems/first_error.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace hone::build_systems {
namespace {

bool has(std::string_view line, std::string_view part) {
  return line.find(part) != std::string_view::npos;
}
bool begins(std::string_view line, std::string_view part) {
  return line.substr(0, part.size()) == part;
}

// "clang++-22: error: linker command failed ...": the driver, about what a line above says better.
bool from_driver(std::string_view line) {
  return has(line, "linker command failed") || has(line, "ld returned ");
}

bool names_cause(std::string_view line) {
  if (from_driver(line)) return false;
  return has(line, ": error: ") || has(line, ": fatal error: ") || begins(line, "error: ") ||
         begins(line, "CMake Error") || begins(line, "configure: error:") ||
         has(line, "undefined reference to") || has(line, "multiple definition of") ||
         has(line, "LLVM ERROR:") || has(line, "No rule to make target") ||
         has(line, "unknown target") || has(line, ": not found") ||
         has(line, "command not found") || has(line, "Permission denied") ||
         has(line, "possibly undefined macro");
}

bool reports_failure(std::string_view line) {
  return from_driver(line) || begins(line, "ninja: error:") || begins(line, "ninja: fatal:") ||
         has(line, "*** ") || begins(line, "FAILED: ") || begins(line, "Killed");
}

// Colours and carriage returns do not belong in an error message.
std::string plain(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\033' && i + 1 < line.size() && line[i + 1] == '[') {
      while (i < line.size() && std::isalpha(static_cast<unsigned char>(line[i])) == 0) ++i;
    } else if (line[i] != '\r') {
      text += line[i];
    }
  }
  text = trim(text);
  // Two or three lines of a terminal: a template's name can fill pages.
  constexpr std::size_t kLongest = 300;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

}  // namespace

FirstError first_error(std::string_view output) {
  constexpr std::string_view kDiskFull = "No space left on device";
  FirstError found;
  found.disk_full = has(output, kDiskFull);
  std::string report, last;
  bool heading = false;  // "CMake Error at FILE:LINE (command):" says what on the next line
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    const std::string line = plain(output.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    if (heading) {
      found.text += " " + line;
      return found;
    }
    last = line;
    if (found.disk_full ? has(line, kDiskFull) : names_cause(line)) {
      found.text = line;
      heading = begins(line, "CMake Error") && line.back() == ':';
      if (!heading) return found;
    }
    if (report.empty() && reports_failure(line)) report = line;
  }
  if (found.text.empty()) found.text = report.empty() ? last : report;
  return found;
}

}  // namespace hone::build_systems
