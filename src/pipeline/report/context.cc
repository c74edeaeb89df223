// Where the figures come from and how to get them again: machine, tools, commands, hashes, words.
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

// "cpu_model" -> "cpu model"; nested values as one line.
std::string readable(const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_array() || value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [key, inner] : value.items())
      parts.push_back(value.is_object() ? replace_all(key, "_", " ") + ": " + readable(inner)
                                        : readable(inner));
    return join(parts, value.is_object() ? "; " : ", ");
  }
  return value.dump();
}

// What is known by its unit reads in that unit.
Terms::Item machine_item(const std::string& key, const Json& value) {
  if (value.is_number() && key.ends_with("_bytes"))
    return {replace_all(key.substr(0, key.size() - 6), "_", " "),
            format_bytes(value.get<double>())};
  if (value.is_number() && key.ends_with("_kib"))
    return {replace_all(key.substr(0, key.size() - 4), "_", " "),
            format_bytes(value.get<double>() * 1024)};
  return {replace_all(key, "_", " "), readable(value)};
}

void add_flags(Terms* terms, const std::string& what, const std::vector<std::string>& flags) {
  if (!flags.empty()) terms->items.push_back({what, code(shell_join(flags))});
}

Terms toolchain_terms(const RunView& view) {
  const toolchain::Toolchain& tools = view.run.tools;
  Terms terms{"Toolchain", {}};
  terms.items = {{"version", "LLVM " + tools.version},
                 {"compiler", code(tools.cxx)},
                 {"linker", code(tools.lld)},
                 {"profile tool", code(tools.profdata)}};
  for (const BuiltBinary& one : view.run.builds) {
    add_flags(&terms, one.variant + ", compiling", one.compile_flags);
    add_flags(&terms, one.variant + ", linking", one.link_flags);
  }
  return terms;
}

void add_hash(Table* table, const std::string& what, const std::string& hash) {
  if (!hash.empty()) table->rows.push_back({{what, code(hash)}});
}

}  // namespace

Section machine_section(const RunView& view) {
  Section section{"Machine and toolchain", {}, false};
  Terms machine{"Machine", {}};
  if (view.run.machine.is_object())
    for (const auto& [key, value] : view.run.machine.items())
      machine.items.push_back(machine_item(key, value));
  if (!machine.items.empty()) section.parts.emplace_back(std::move(machine));
  if (!view.run.tools.version.empty()) section.parts.emplace_back(toolchain_terms(view));
  return section;
}

Section repeat_section(const RunView& view) {
  const RunValues& run = view.run;
  Section section{"To repeat it", {}, false};
  Commands commands{"The command, and the same with this run's seed", {}};
  const std::string seed = std::to_string(run.proof.design.settings.seed);
  if (!run.command.empty()) commands.lines.push_back(run.command);
  if (!run.command.empty() && run.command.find(seed) == std::string::npos)
    commands.lines.push_back(run.command + (view.rebuilt ? " --set prove.seed=" : " --seed ") +
                             seed);
  section.parts.emplace_back(std::move(commands));

  Table hashes;
  hashes.title = "Hashes";
  hashes.columns = {{"what"}, {"SHA-256 or identity"}};
  add_hash(&hashes, "source", run.source.identity);
  add_hash(&hashes, "recipe", run.recipe_sha256);
  for (const BuiltBinary& one : run.builds) add_hash(&hashes, one.variant + " binary", one.sha256);
  add_hash(&hashes, "profile", run.profile.sha256);
  if (run.builds.empty())
    for (const Arm& arm : view.arms()) add_hash(&hashes, "arm " + arm.name, arm.sha256);
  if (!hashes.rows.empty()) section.parts.emplace_back(std::move(hashes));

  if (!run.product.files.empty()) {
    Commands product{"What was left in " + code(run.product.folder), run.product.files};
    section.parts.emplace_back(std::move(product));
  }
  section.parts.emplace_back(Sentence{std::string("hone " HONE_VERSION "; every ") +
                                      (view.loads.empty() ? "figure" : "slice of every round") +
                                      " is in report.json."});
  return section;
}

Section glossary_section(const RunView& view) {
  Terms terms;
  terms.items = {
      {"arm", "one thing compared: a binary with its configuration, arguments and environment"},
      {view.several ? "A; B, C, ...; A'" : "A, B, A'",
       "the baseline, what is compared with it, and a byte copy of the baseline"},
      {"shape",
       "one traffic pattern: protocol, TLS, request, response, and its way through the subject"},
      {"load", "requests per second in total, their arrivals, connections, streams and workers"},
      {"round",
       "one process lifetime of every arm, for one shape and load: the unit of replication"},
      {"slice", "a short stretch of load on one arm within a round"},
      {"CPU per request", cpu_meaning(view)},
      {"effect", std::string("relative change of CPU per request from A to ") +
                     (view.several ? "a candidate" : "B") + ", geometric mean over rounds"},
      {"95 % interval",
       "t interval over rounds: where the effect lies, were rounds repeated for ever"},
      {"A/A, floor", "A' against A: pure noise; the floor is the larger end of its interval"},
      {"wakes", "times the server went to sleep and was woken, per request"},
      {"arrivals",
       "even, poisson (independent) or burst:N (N at once): how requests are spread in time"},
      {"saved, worse", "the interval excludes 0 and the effect is beyond the floor"},
      {"same", "the 90 % interval lies inside the smallest effect that matters"},
      {"unresolved", "none of these: the rounds cannot tell; not a proof of no effect"},
      {"withheld", "a negative control moved or the A/A excludes 0: the rounds cannot be trusted"},
      {"failed", "an arm's own fault: errors, a restart, or a rate it did not hold"}};
  if (view.several) {
    terms.items.push_back({"block",
                           "the baseline, its copy and at most two candidates, alive in the same "
                           "rounds; \"own\" figures are the candidate's of the row"});
  }
  if (view.rebuilt) {
    terms.items.push_back({"leg", "one training run of one shape on an instrumented binary"});
    terms.items.push_back(
        {"PGO, ThinLTO", "profile-guided and link-time optimization, as clang and lld do them"});
    terms.items.push_back({"*", "a shape that was not trained"});
  }
  return {"Words", {terms}, false};
}

}  // namespace hone::pipeline::report
