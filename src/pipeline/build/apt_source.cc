// An archive's index may name a version whose files are gone: security archives drop superseded
// ones, mirrors lag. So the versions are tried from the newest down, and an older one is said to be
// older. A foreign archive that cannot be reached (a third party's, with no bearing on this
// package) makes `apt-get update` complain; that is repeated to the user only if the package is not
// found.

#include "pipeline/build/apt_source.h"

#include <algorithm>

#include "base/text.h"
#include "pipeline/build/apt_entries.h"
#include "system/interrupt.h"
#include "system/terminal.h"

namespace hone::pipeline {
namespace {

using system::Path;

// An index is 10 MB and a source at most some 100 MB: ten minutes are a slow line, not a hang.
constexpr double kLimitS = 600;

class Apt {
 public:
  Apt(const Path& folder, system::System& os)
      : folder_(std::filesystem::absolute(folder)), os_(&os) {}

  Path log() const { return folder_ / "apt.log"; }

  Status configure() {
    HONE_TRY(const AptEntries entries, read_apt_entries("/etc/apt", *os_->files));
    if (entries.empty()) {
      return fail(ErrorKind::kSource, "apt has no package archive to ask: /etc/apt names none",
                  "give apt its archives, or use source.path");
    }
    const Path own = folder_ / "apt";
    for (const char* name : {"lists/partial", "cache/archives/partial", "sources"}) {
      HONE_CHECK(os_->files->make_directories(own / name));
    }
    HONE_CHECK(os_->files->write(own / "sources" / "hone.list", entries.lines));
    HONE_CHECK(os_->files->write(own / "sources" / "hone.sources", entries.stanzas));
    return os_->files->write(own / "apt.conf", configuration(own));
  }

  Result<system::Exit> run(std::vector<std::string> words, const Path& cwd) {
    log_begin_ = os_->files->read(log()).value_or("").size();
    system::Command command;
    command.argv = with_configuration(std::move(words));
    command.env = proxies();
    command.cwd = cwd;
    command.output = log();
    command.limit_s = kLimitS;
    return os_->processes->run(command);
  }

  Result<std::string> showsrc(const std::string& package) {
    system::Command command;
    command.argv = with_configuration({"apt-cache", "showsrc", "--only-source", package});
    return os_->processes->capture(command);
  }

  // What the last run() complained about.
  std::string complaints() const {
    const std::string log_text = os_->files->read(log()).value_or("");
    return apt_complaints(log_text.substr(std::min(log_begin_, log_text.size())));
  }

 private:
  // Read after the machine's own configuration (-c), whose proxies and credentials stay in force.
  // The hooks are cleared because they act on the machine's own lists and caches. Root's apt would
  // download as a user of its own, who has no right to write here.
  static std::string configuration(const Path& own) {
    return "Dir::Etc::SourceList \"/dev/null\";\n"
           "Dir::Etc::SourceParts \"" +
           (own / "sources").string() +
           "\";\n"
           "Dir::State::Lists \"" +
           (own / "lists").string() +
           "\";\n"
           "Dir::Cache \"" +
           (own / "cache").string() +
           "\";\n"
           "APT::Sandbox::User \"root\";\n"
           "APT::Get::List-Cleanup \"false\";\n"
           "Acquire::Languages \"none\";\n"
           "Acquire::Retries \"2\";\n"
           "Acquire::http::Timeout \"20\";\n"
           "Acquire::https::Timeout \"20\";\n"
           "#clear APT::Update::Pre-Invoke;\n"
           "#clear APT::Update::Post-Invoke;\n"
           "#clear APT::Update::Post-Invoke-Success;\n";
  }

  std::vector<std::string> with_configuration(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, {"-c", (folder_ / "apt" / "apt.conf").string()});
    return words;
  }

  static std::map<std::string, std::string> proxies() {
    std::map<std::string, std::string> env;
    for (const char* name : {"http_proxy", "https_proxy", "ftp_proxy", "no_proxy"}) {
      if (const std::string value = system::environment(name); !value.empty()) env[name] = value;
    }
    return env;
  }

  Path folder_;
  system::System* os_;
  std::size_t log_begin_ = 0;
};

Status check_tools(system::System& os) {
  if (!os.processes->find_program("apt-get")) {
    return fail(ErrorKind::kToolMissing,
                "apt-get is not here: source packages need Debian or Ubuntu",
                "get the source yourself and set source.path to its folder");
  }
  if (!os.processes->find_program("dpkg-source")) {
    return fail(ErrorKind::kToolMissing, "dpkg-source, which unpacks source packages, is missing",
                "sudo apt-get install dpkg-dev");
  }
  return {};
}

// Newest first, by dpkg's own rules.
Result<std::vector<std::string>> newest_first(std::vector<std::string> versions,
                                              system::System& os) {
  for (std::size_t i = 1; i < versions.size(); ++i) {
    for (std::size_t j = i; j > 0; --j) {
      system::Command command;
      command.argv = {"dpkg", "--compare-versions", versions[j], "gt", versions[j - 1]};
      command.limit_s = 10;  // milliseconds of work
      HONE_TRY(const system::Exit exit, os.processes->run(command));
      if (!exit.ok()) break;
      std::swap(versions[j], versions[j - 1]);
    }
  }
  return versions;
}

// The unpacked folder and the description, as dpkg-source left them in `place`.
Result<AptSource> look_at(const Path& folder, const Path& place, const std::string& version,
                          system::System& os) {
  AptSource source;
  source.version = version;
  HONE_TRY(const std::vector<Path> entries, os.files->list(place));
  for (const Path& entry : entries) {
    if (os.files->is_directory(entry)) {
      source.tree = entry.lexically_relative(folder).generic_string();
    } else if (entry.extension() == ".dsc") {
      HONE_TRY(source.dsc_sha256, os.files->sha256(entry));
    }
  }
  if (source.tree.empty() || source.dsc_sha256.empty()) {
    return fail(ErrorKind::kSource, "apt-get left no unpacked source in " + place.string(),
                "see apt's log", (folder / "apt.log").string());
  }
  return source;
}

tl::unexpected<Error> cannot_fetch(const std::string& package, const std::string& why,
                                   const Apt& apt) {
  if (why.find("No space left on device") != std::string::npos ||
      why.find("enough free space") != std::string::npos) {
    return fail(ErrorKind::kDiskFull, "cannot fetch the source package " + package + ": " + why,
                "free some space and run again", apt.log().string());
  }
  return fail(ErrorKind::kSource,
              "cannot fetch the source package " + package + (why.empty() ? "" : ": " + why),
              "check the name, the network and apt's own state (sudo apt-get update), or get the "
              "source yourself and set source.path",
              apt.log().string());
}

}  // namespace

std::string apt_complaints(const std::string& output) {
  std::vector<std::string> errors, warnings;
  for (const std::string& line : split(output, '\n')) {
    if (line.rfind("E: ", 0) == 0) errors.push_back(line.substr(3));
    if (line.rfind("W: ", 0) == 0) warnings.push_back(line.substr(3));
  }
  std::vector<std::string>& said = errors.empty() ? warnings : errors;
  // The first names the cause; the rest are its consequences, one per archive.
  if (said.size() > 3) said.resize(3);
  return join(said, "; ");
}

std::vector<std::string> listed_versions(const std::string& showsrc, const std::string& package) {
  std::vector<std::string> versions;
  bool ours = false;
  for (const std::string& line : split(showsrc, '\n')) {
    if (line.rfind("Package: ", 0) == 0) ours = trim(line.substr(9)) == package;
    if (!ours || line.rfind("Version: ", 0) != 0) continue;
    const std::string version = trim(line.substr(9));
    if (std::find(versions.begin(), versions.end(), version) == versions.end()) {
      versions.push_back(version);
    }
  }
  return versions;
}

Result<AptSource> fetch_apt_source(const std::string& wanted, const Path& folder,
                                   system::System& os, Observer& observer) {
  HONE_CHECK(check_tools(os));
  Apt apt(folder, os);
  HONE_CHECK(apt.configure());
  const std::string package = wanted.substr(0, wanted.find('='));
  HONE_TRY(const system::Exit updated, apt.run({"apt-get", "update"}, folder));
  std::string why = apt.complaints();
  if (updated.limit) why = "apt-get update did not end in time; " + why;

  const Result<std::string> listed = apt.showsrc(package);
  HONE_CHECK(system::check_interrupted());
  std::vector<std::string> versions = listed_versions(listed.value_or(""), package);
  if (wanted != package) {
    const std::string asked = wanted.substr(package.size() + 1);
    if (!versions.empty() && std::find(versions.begin(), versions.end(), asked) == versions.end()) {
      return cannot_fetch(wanted, "the archives have " + join(versions, ", "), apt);
    }
    versions = versions.empty() ? versions : std::vector<std::string>{asked};
  }
  if (versions.empty()) {
    return cannot_fetch(wanted, why.empty() ? "no archive of this machine has it" : why, apt);
  }
  HONE_TRY(versions, newest_first(std::move(versions), os));

  const Path place = folder / "source";
  for (const std::string& version : versions) {
    HONE_CHECK(os.files->remove_all(place));
    HONE_CHECK(os.files->make_directories(place));
    HONE_TRY(const system::Exit exit,
             apt.run({"apt-get", "source", "--only-source", package + "=" + version}, place));
    if (exit.ok()) {
      if (version != versions.front()) {
        observer.finding({"source.older-version", "info",
                          package + " " + versions.front() + " cannot be downloaded (" + why +
                              "); " + version + " is used",
                          ""});
      }
      // The index is 20 MB and of no use once the source is here.
      HONE_CHECK(os.files->remove_all(folder / "apt"));
      return look_at(folder, place, version, os);
    }
    why = apt.complaints();
  }
  return cannot_fetch(wanted, why, apt);
}

}  // namespace hone::pipeline
