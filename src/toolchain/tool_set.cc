// How a set is found. Debian and Ubuntu keep each major whole in /usr/lib/llvm-N/bin, so that place
// comes first; a tool that is not there is looked for in PATH as TOOL-N, then as plain TOOL. A
// plain tool of another major is taken into the set on purpose: discover() then shows it, which
// says more than "missing". Versions come from each tool itself, never from its name: a link called
// clang-22 may lead anywhere.

#include "toolchain/tool_set.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "system/interrupt.h"
#include "system/terminal.h"

namespace hone::toolchain {
namespace {

using system::Path;
using system::System;

// The newest major in Debian 12's archive: what a machine without any clang is told to install.
constexpr int kSuggestedMajor = 22;

bool all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

// The number behind `prefix` when that is all of `name`: ("clang-22", "clang-") -> 22; else 0.
int numbered(const std::string& name, const std::string& prefix) {
  if (name.rfind(prefix, 0) != 0 || !all_digits(name.substr(prefix.size()))) return 0;
  return major_of(name.substr(prefix.size()));
}

Path find_in_path(const std::string& name, const Places& places, System& os) {
  for (const Path& folder : places.path) {
    if (os.files->exists(folder / name)) return folder / name;
  }
  return {};
}

// Standard output of a tool that may be broken: nullopt then; only an interrupt stops the search.
Result<std::optional<std::string>> ask(const std::string& tool, const std::string& question,
                                       System& os) {
  system::Command command;
  command.argv = {tool, question};
  Result<std::string> text = os.processes->capture(command);
  if (text) return std::optional<std::string>(*text);
  if (text.error().kind == ErrorKind::kInterrupted) return tl::make_unexpected(text.error());
  return std::optional<std::string>();
}

Result<FoundTool> examine_tool(const Role& role, const Path& path, System& os) {
  FoundTool found;
  found.role = &role;
  if (path.empty()) return found;
  found.path = path.string();
  HONE_TRY(const std::optional<std::string> text, ask(found.path, "--version", os));
  if (text) found.version = version_in(*text, role.banner);
  found.major = major_of(found.version);
  return found;
}

// Clang knows two layouts: lib/<triple>/libclang_rt.profile.a and lib/linux/...-<arch>.a. It prints
// the bare name back when there is no such file.
Result<std::string> find_runtime(const std::string& clang, System& os) {
  HONE_TRY(const std::optional<std::string> triple, ask(clang, "-dumpmachine", os));
  std::string arch = triple ? trim(*triple) : "";
  arch = arch.substr(0, arch.find('-'));
  // compiler-rt calls every 32-bit x86 i386.
  if (arch.size() == 4 && arch[0] == 'i' && arch.substr(2) == "86") arch = "i386";
  for (const std::string& name :
       {std::string("libclang_rt.profile.a"), "libclang_rt.profile-" + arch + ".a"}) {
    HONE_TRY(const std::optional<std::string> answer, ask(clang, "-print-file-name=" + name, os));
    const Path path = answer ? Path(trim(*answer)) : Path();
    if (path.is_absolute() && os.files->exists(path)) return path.string();
  }
  return std::string();
}

template <typename Locate>  // Path(const Role&)
Result<ToolSet> collect(std::string place, int major, System& os, Locate locate) {
  ToolSet set;
  set.place = std::move(place);
  for (const Role& role : roles()) {
    HONE_TRY(FoundTool tool, examine_tool(role, locate(role), os));
    set.tools.push_back(std::move(tool));
  }
  const FoundTool& clang = set.tools.front();
  set.major = major != 0 ? major : clang.major;
  if (clang.major != 0) {
    HONE_TRY(set.profile_runtime, find_runtime(clang.path, os));
  }
  return set;
}

Result<ToolSet> set_of_folder(const std::string& wanted, System& os) {
  Path folder = std::filesystem::absolute(wanted).lexically_normal();
  if (!os.files->exists(folder / "clang") && os.files->exists(folder / "bin" / "clang")) {
    folder /= "bin";
  }
  return collect(folder.string(), 0, os, [&](const Role& role) {
    return os.files->exists(folder / role.tool) ? folder / role.tool : Path();
  });
}

Result<ToolSet> set_of_major(int major, const Places& places, System& os) {
  const std::string number = std::to_string(major);
  return collect("LLVM " + number, major, os, [&](const Role& role) {
    Path own = places.llvm_root / ("llvm-" + number) / "bin" / role.tool;
    if (os.files->exists(own)) return own;
    const Path numbered_one = find_in_path(role.tool + ("-" + number), places, os);
    return numbered_one.empty() ? find_in_path(role.tool, places, os) : numbered_one;
  });
}

// Every major of which this machine has at least a clang, newest first.
Result<std::vector<int>> majors_here(const Places& places, System& os) {
  std::set<int, std::greater<>> majors;
  for (const Path& entry : os.files->list(places.llvm_root).value_or(std::vector<Path>())) {
    const int major = numbered(entry.filename().string(), "llvm-");
    if (major != 0 && os.files->exists(entry / "bin" / "clang")) majors.insert(major);
  }
  for (const Path& folder : places.path) {
    for (const Path& entry : os.files->list(folder).value_or(std::vector<Path>())) {
      if (const int major = numbered(entry.filename().string(), "clang-")) majors.insert(major);
    }
  }
  if (const Path plain = find_in_path("clang", places, os); !plain.empty()) {
    HONE_TRY(const FoundTool clang, examine_tool(roles().front(), plain, os));
    if (clang.major != 0) majors.insert(clang.major);
  }
  return std::vector<int>(majors.begin(), majors.end());
}

}  // namespace

Places standard_places() {
  Places places;
  for (const std::string& folder : split(system::environment("PATH"), ':')) {
    if (!folder.empty()) places.path.emplace_back(folder);
  }
  places.llvm_root = "/usr/lib";
  return places;
}

const std::vector<Role>& roles() {
  static const std::vector<Role> kRoles = {
      {"clang", "clang", "clang version ", &Toolchain::cc},
      {"clang++", "clang", "clang version ", &Toolchain::cxx},
      {"ld.lld", "lld", "LLD ", &Toolchain::lld},
      {"llvm-profdata", "llvm", "LLVM version ", &Toolchain::profdata},
      {"llvm-ar", "llvm", "LLVM version ", &Toolchain::ar},
      {"llvm-ranlib", "llvm", "LLVM version ", &Toolchain::ranlib},
      {"llvm-nm", "llvm", "LLVM version ", &Toolchain::nm},
      {"llvm-objcopy", "llvm", "LLVM version ", &Toolchain::objcopy},
      {"llvm-strip", "llvm", "LLVM version ", &Toolchain::strip},
      {"llvm-size", "llvm", "LLVM version ", &Toolchain::size},
  };
  return kRoles;
}

bool ToolSet::complete() const {
  return major != 0 && !profile_runtime.empty() &&
         std::all_of(tools.begin(), tools.end(),
                     [this](const FoundTool& tool) { return tool.major == major; });
}

Result<std::optional<ToolSet>> find_set(const std::string& wanted, const Places& places,
                                        System& os) {
  if (wanted.find('/') != std::string::npos) {
    HONE_TRY(ToolSet set, set_of_folder(wanted, os));
    return std::optional<ToolSet>(std::move(set));
  }
  if (all_digits(wanted) && major_of(wanted) != 0) {
    HONE_TRY(ToolSet set, set_of_major(major_of(wanted), places, os));
    return std::optional<ToolSet>(std::move(set));
  }
  if (!wanted.empty()) {
    return fail(ErrorKind::kRecipe,
                "build.toolchain = \"" + wanted + "\" is neither an LLVM major nor a folder",
                "write a major (\"" + std::to_string(kSuggestedMajor) +
                    "\"), a folder that holds clang (\"/opt/llvm/bin\"), or leave it out");
  }
  HONE_TRY(const std::vector<int> majors, majors_here(places, os));
  std::optional<ToolSet> newest;
  for (const int major : majors) {
    HONE_CHECK(system::check_interrupted());
    HONE_TRY(ToolSet set, set_of_major(major, places, os));
    if (set.complete()) return std::optional<ToolSet>(std::move(set));
    if (!newest) newest = std::move(set);
  }
  return newest;
}

std::string version_in(const std::string& text, const std::string& banner) {
  const std::size_t at = text.find(banner);
  if (at == std::string::npos) return {};
  std::size_t end = at + banner.size();
  const std::size_t begin = end;
  while (end < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.')) {
    ++end;
  }
  return text.substr(begin, end - begin);
}

int major_of(const std::string& version) {
  const std::string first = version.substr(0, version.find('.'));
  // Four digits are beyond any LLVM major and well inside an int.
  if (!all_digits(first) || first.size() > 4) return 0;
  return std::stoi(first);
}

std::string package_of(const Role& role, int major) {
  return std::string(role.package) + "-" + std::to_string(major != 0 ? major : kSuggestedMajor);
}

std::string runtime_package(int major) {
  return "libclang-rt-" + std::to_string(major != 0 ? major : kSuggestedMajor) + "-dev";
}

std::string install_line(int major) {
  const std::string n = std::to_string(major != 0 ? major : kSuggestedMajor);
  return "sudo apt-get install clang-" + n + " lld-" + n + " llvm-" + n + " " +
         runtime_package(major);
}

}  // namespace hone::toolchain
