// Asked only after a build has failed: a library may well be there without its package, so a
// missing package is a likely reason and no proof.

#include "pipeline/build/packages.h"

#include <set>

#include "base/text.h"

namespace hone::pipeline {

std::vector<std::string> not_installed(const std::vector<std::string>& names,
                                       const std::string& answer) {
  std::set<std::string> installed;
  for (const std::string& line : split(answer, '\n')) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.compare(tab + 1, 2, "ii") != 0) continue;
    installed.insert(line.substr(0, line.find_first_of(":\t")));  // "zlib1g-dev:amd64"
  }
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (installed.count(name) == 0) missing.push_back(name);
  }
  return missing;
}

std::vector<std::string> missing_packages(const std::vector<std::string>& names,
                                          const system::Path& scratch, system::System& os) {
  if (names.empty()) return {};
  system::Command command;
  command.argv = {"dpkg-query", "-W", "-f", "${binary:Package}\\t${db:Status-Abbrev}\\n"};
  command.argv.insert(command.argv.end(), names.begin(), names.end());
  command.output = scratch;
  command.limit_s = 30;  // a local look-up of milliseconds; dpkg may be busy with an installation
  (void)os.files->remove_all(scratch);
  // Its exit status is 1 as soon as one name is unknown: that is the question.
  if (!os.processes->run(command)) return names;
  const std::string answer = os.files->read(scratch).value_or("");
  (void)os.files->remove_all(scratch);
  return not_installed(names, answer);
}

}  // namespace hone::pipeline
