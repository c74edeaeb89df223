#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>

#include "pipeline/profile/profile.h"

namespace hone::pipeline {

std::vector<std::uint64_t> only_in_one(const std::vector<std::vector<std::string>>& lists) {
  struct Seen {
    std::size_t list = 0;
    std::size_t times = 0;
  };
  std::map<std::string_view, Seen> functions;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const std::string& name : lists[i]) {
      Seen& seen = functions[name];
      seen.list = i;
      ++seen.times;
    }
  }
  std::vector<std::uint64_t> counts(lists.size(), 0);
  for (const auto& [name, seen] : functions) {
    if (seen.times == 1) ++counts[seen.list];
  }
  return counts;
}

std::string readable_function(const std::string& name) {
  // Functions of internal linkage carry their file in front.
  const std::string symbol = name.substr(name.rfind(';') + 1);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return symbol.starts_with("_Z") && status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace hone::pipeline
