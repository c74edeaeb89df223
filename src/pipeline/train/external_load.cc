#include "pipeline/train/external_load.h"

#include <optional>
#include <regex>
#include <sstream>

#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

constexpr system::Duration kProgressEvery = std::chrono::seconds(1);

// A generator that connects and warms up takes longer than it sends; one that hangs must end.
double limit_s(double seconds) { return 3 * seconds + 30; }

tl::unexpected<Error> leg_failed(const std::string& what, const std::string& next) {
  return fail(ErrorKind::kLegFailed, what, next);
}

// Of the last match: generators print figures as they go, and the sum at the end.
std::optional<std::string> last_match(const std::string& pattern, const std::string& text) {
  const std::regex regex(pattern);
  std::optional<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), regex);
       at != std::sregex_iterator(); ++at) {
    found = (*at)[1].str();
  }
  return found;
}

Result<std::uint64_t> as_count(const std::string& text) {
  // "1,234,567" is how some print it.
  const auto number = parse_integer(replace_all(text, ",", ""));
  if (number && *number >= 0) return static_cast<std::uint64_t>(*number);
  return leg_failed("its output tells no count where one should be, but '" + text + "'",
                    "mend answers or failures in [shape.generator]");
}

// Of an output that may have lines of a log before and after it.
std::optional<Json> first_object(const std::string& output) {
  for (std::size_t at = output.find('{'); at != std::string::npos; at = output.find('{', at + 1)) {
    if (at > 0 && output[at - 1] != '\n') continue;
    std::istringstream in(output.substr(at));
    try {
      Json json;
      in >> json;  // one value; what follows is left alone
      return json;
    } catch (const Json::exception&) {
      continue;
    }
  }
  return std::nullopt;
}

Result<std::uint64_t> count_by_pointer(const std::string& pointer, const std::string& output) {
  const auto json = first_object(output);
  if (!json) {
    return leg_failed("its output is no JSON object",
                      "give its option for JSON, or answers instead of answers_json");
  }
  try {
    const Json& value = json->at(Json::json_pointer(pointer));
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  } catch (const Json::exception&) {
    // told below
  }
  return leg_failed("its output has no count at " + pointer,
                    "mend answers_json in [shape.generator]");
}

}  // namespace

Result<std::uint64_t> count_answers(const subject::Generator& generator,
                                    const std::string& output) {
  std::uint64_t answers = 0;
  if (!generator.answers_json.empty()) {
    HONE_TRY(answers, count_by_pointer(generator.answers_json, output));
  } else {
    const auto found = last_match(generator.answers, output);
    if (!found) {
      return leg_failed("its output has no match of /" + generator.answers + "/",
                        "mend answers in [shape.generator]");
    }
    HONE_TRY(answers, as_count(*found));
  }
  if (!generator.failures.empty()) {
    if (const auto found = last_match(generator.failures, output)) {
      HONE_TRY(const std::uint64_t failures, as_count(*found));
      if (failures > 0) {
        return leg_failed(format_count(failures) + " of its requests failed",
                          "ask for the shape's path by hand; the subject's log may say more");
      }
    }
  }
  if (answers == 0) return leg_failed("it counted no answer", "look at its output");
  return answers;
}

Result<std::uint64_t> run_external_load(const ExternalLoad& load,
                                        const subject::Generator& generator, system::System& system,
                                        const std::function<void(double)>& progress) {
  system::Command command;
  command.argv = load.command;
  command.cpus = load.cpus;
  command.output = load.log;
  HONE_TRY(const auto child, system.processes->start(command));
  const auto begin = system.clock->now();
  std::optional<system::Exit> exit;
  while (!exit) {
    HONE_CHECK(system::check_interrupted());
    HONE_TRY(exit, child->wait(kProgressEvery));
    const double passed = system::to_seconds(system.clock->now() - begin);
    progress(passed);
    if (!exit && passed > limit_s(load.seconds)) {
      child->end();
      exit.emplace();
      exit->limit = true;
      exit->wall_s = passed;
    }
  }
  const auto with_log = [&](Error error) {
    error.what = load.command.front() + ": " + error.what;
    error.log_file = load.log.string();
    return tl::make_unexpected(std::move(error));
  };
  if (!exit->ok()) {
    return with_log(
        leg_failed(describe(*exit), "run it by hand: " + shell_join(load.command)).value());
  }
  HONE_TRY(const std::string output, system.files->read(load.log));
  auto answers = count_answers(generator, output);
  if (!answers) return with_log(std::move(answers).error());
  return answers;
}

}  // namespace hone::pipeline
