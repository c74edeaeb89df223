#include "pipeline/prove/design.h"

#include <algorithm>

namespace hone::pipeline {

Result<std::map<std::string, std::string>> hash_named_files(const std::vector<std::string>& command,
                                                            const system::Files& files) {
  std::map<std::string, std::string> hashes;
  for (std::size_t i = 1; i < command.size(); ++i) {
    // A name may follow an option: --config=FILE.
    const std::string name = command[i].substr(command[i].rfind('=') + 1);
    if (name.empty() || !files.exists(name) || files.is_directory(name)) continue;
    if (name.starts_with("/dev/") || name.starts_with("/proc/")) continue;
    HONE_TRY(hashes[name], files.sha256(name));
  }
  return hashes;
}

std::string candidate_name(std::size_t index) {
  constexpr std::size_t kLetters = 25;  // all but A
  const std::string letter(1, static_cast<char>('B' + index % kLetters));
  return index < kLetters ? letter : letter + std::to_string(index / kLetters + 1);
}

std::string copy_name(const Arm& base) { return base.name + "'"; }

std::vector<Arm> arms_of(const Design& design) {
  std::vector<Arm> arms = {design.base};
  arms.insert(arms.end(), design.candidates.begin(), design.candidates.end());
  return arms;
}

bool crowded(const Design& design) {
  const std::vector<Arm> arms = arms_of(design);
  return std::any_of(arms.begin(), arms.end(), [&design](const Arm& arm) {
    return arm.server.workers > static_cast<int>(design.server_cpus.size());
  });
}

void add_to(Fingerprint* print, const Design& design, const std::vector<Arm>& arms,
            const subject::Shape& shape) {
  print->add("machine", design.machine);
  for (const Arm& arm : arms) {
    Json json = arm;
    json.erase("binary");  // its place says nothing; sha256 is what it is
    json.erase("label");
    json["server"] = subject::behaviour(arm.server);
    print->add("arm " + arm.name, json);
  }
  print->add("origin", Json(design.with_origin));
  print->add("hosts", Json(design.settings.hosts));
  Json what = shape;
  what.erase("train");  // was it trained? a matter of the binary
  what.erase("share");  // and of the total
  print->add("shape", what);
  print->add("cpus", Json{{"server", design.server_cpus}, {"load", design.load_cpus}});
}

std::string name_machine(const Json& machine) {
  const auto text = [&machine](const char* key) {
    const auto found = machine.find(key);
    return found != machine.end() && found->is_string() ? found->get<std::string>()
                                                        : std::string("unknown");
  };
  return text("cpu_model") + ", kernel " + text("kernel");
}

}  // namespace hone::pipeline
