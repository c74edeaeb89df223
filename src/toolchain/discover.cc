// What is asked of a set: every tool there, every one of clang's own major, and the profile
// runtime. A minor that differs is let pass: LLVM keeps bitcode and profile formats within a major.
// GCC's tools are no part of it: they cannot read clang's bitcode or profiles.

#include <algorithm>

#include "base/text.h"
#include "toolchain/tool_set.h"
#include "toolchain/toolchain.h"

namespace hone::toolchain {
namespace {

std::string shown(const FoundTool& tool) {
  if (tool.path.empty()) return std::string(tool.role->tool) + " missing";
  return std::string(tool.role->tool) + " " +
         (tool.version.empty() ? "of unknown version" : tool.version) + " (" + tool.path + ")";
}

std::string shown(const ToolSet& set) {
  std::vector<std::string> tools;
  for (const FoundTool& tool : set.tools) tools.push_back(shown(tool));
  return join(tools, ", ");
}

// Packages of the tools for which `bad` holds, each once.
template <typename Bad>
std::vector<std::string> packages(const ToolSet& set, Bad bad) {
  std::vector<std::string> names;
  for (const FoundTool& tool : set.tools) {
    if (!bad(tool)) continue;
    const std::string name = package_of(*tool.role, set.major);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string how_to_install(const ToolSet& set, const std::vector<std::string>& names) {
  std::string text = "sudo apt-get install " + join(names, " ");
  if (set.place.find('/') != std::string::npos) {
    text = "complete " + set.place + ", or leave build.toolchain out and " + text;
  }
  return text;
}

tl::unexpected<Error> missing(const ToolSet& set) {
  std::vector<std::string> names;
  for (const FoundTool& tool : set.tools) {
    if (tool.path.empty()) names.push_back(tool.role->tool);
  }
  // All that the set lacks at once: plain tools of another major, too, and the runtime.
  std::vector<std::string> wanted =
      packages(set, [&](const FoundTool& t) { return t.path.empty() || t.major != set.major; });
  if (set.profile_runtime.empty()) wanted.push_back(runtime_package(set.major));
  return fail(ErrorKind::kToolMissing,
              set.place + " is not complete: " + join(names, ", ") +
                  (names.size() == 1 ? " is" : " are") + " missing",
              how_to_install(set, wanted));
}

tl::unexpected<Error> mixed(const ToolSet& set) {
  const std::string wanted =
      set.major != 0 ? "LLVM " + std::to_string(set.major) : std::string("one LLVM major");
  return fail(ErrorKind::kToolchain, "the tools are not all of " + wanted + ": " + shown(set),
              how_to_install(set, packages(set, [&](const FoundTool& tool) {
                               return tool.major != set.major || set.major == 0;
                             })));
}

}  // namespace

Result<Toolchain> discover_in(const std::string& wanted, const Places& places, system::System& os) {
  HONE_TRY(const std::optional<ToolSet> set, find_set(wanted, places, os));
  if (!set) {
    return fail(ErrorKind::kToolMissing,
                "no clang in PATH or in " + (places.llvm_root / "llvm-*/bin").string(),
                install_line(0));
  }
  const auto begin = set->tools.begin(), end = set->tools.end();
  if (std::any_of(begin, end, [](const FoundTool& t) { return t.path.empty(); })) {
    return missing(*set);
  }
  if (set->major == 0 ||
      std::any_of(begin, end, [&](const FoundTool& t) { return t.major != set->major; })) {
    return mixed(*set);
  }
  if (set->profile_runtime.empty()) {
    return fail(ErrorKind::kToolMissing,
                "clang " + set->tools.front().version + " (" + set->tools.front().path +
                    ") has no profile runtime: libclang_rt.profile is not there",
                how_to_install(*set, {runtime_package(set->major)}));
  }
  Toolchain tools;
  tools.major = set->major;
  tools.version = set->tools.front().version;
  tools.profile_runtime = set->profile_runtime;
  for (const FoundTool& tool : set->tools) tools.*(tool.role->member) = tool.path;
  return tools;
}

std::vector<ToolLine> examine_in(const std::string& wanted, const Places& places,
                                 system::System& os) {
  const Result<std::optional<ToolSet>> set = find_set(wanted, places, os);
  if (!set) return {{"toolchain", wanted, "", "unfit", set.error().what}};
  if (!*set) return {{"clang", "", "", "missing", install_line(0)}};
  std::vector<ToolLine> lines;
  for (const FoundTool& tool : (*set)->tools) {
    ToolLine line{tool.role->tool, tool.path, tool.version, "found", ""};
    if (tool.path.empty()) {
      line.state = "missing";
    } else if (tool.major != (*set)->major || tool.major == 0) {
      line.state = "unfit";
    }
    if (line.state != "found") {
      line.advice = how_to_install(**set, {package_of(*tool.role, (*set)->major)});
    }
    lines.push_back(std::move(line));
  }
  ToolLine runtime{"profile runtime", (*set)->profile_runtime, (*set)->tools.front().version,
                   "found", ""};
  if (runtime.path.empty()) {
    runtime.version.clear();
    runtime.state = "missing";
    runtime.advice = how_to_install(**set, {runtime_package((*set)->major)});
  }
  lines.push_back(std::move(runtime));
  return lines;
}

Result<Toolchain> discover(const std::string& wanted, system::System& os) {
  return discover_in(wanted, standard_places(), os);
}

std::vector<ToolLine> examine(const std::string& wanted, system::System& os) {
  return examine_in(wanted, standard_places(), os);
}

}  // namespace hone::toolchain
