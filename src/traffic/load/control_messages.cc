#include "traffic/load/control_messages.h"

#include <array>
#include <stdexcept>

#include "base/error_json.h"
#include "traffic/load/control_values.h"

namespace hone::traffic::load {
namespace {

using Verb = ControlRequest::Verb;

struct NamedVerb {
  const char* name;
  Verb verb;
};
constexpr std::array<NamedVerb, 5> kVerbs{{{"connect", Verb::kConnect},
                                           {"slice", Verb::kSlice},
                                           {"spread", Verb::kSpread},
                                           {"close", Verb::kClose},
                                           {"cut", Verb::kCut}}};

constexpr const char* kGreetingKey = "hone_load_control";
constexpr std::size_t kQuotedBytes = 80;  // of what was said in its place: a line of a terminal

// Ids and pools count up from 1; what JSON's readers agree on is exact up to there (RFC 8259 6).
constexpr long long kLargestId = (1LL << 53) - 1;
constexpr long long kLargestPool = (1LL << 31) - 1;

// Many more than a pool may have connections: no use in reading on.
constexpr std::size_t kMostRedials = 65'536;

Verb read_verb(const Json& json) {
  const auto name = json.at("do").get<std::string>();
  for (const NamedVerb& known : kVerbs) {
    if (name == known.name) return known.verb;
  }
  throw std::out_of_range("there is nothing called \"" + name + "\" to do");
}

ControlRequest read_request_message(const Json& json) {
  ControlRequest request;
  request.id = static_cast<std::uint64_t>(whole_number(json, "id", 0, kLargestId));
  request.verb = read_verb(json);
  const bool has_pool = request.verb != Verb::kConnect && request.verb != Verb::kCut;
  if (has_pool) request.pool = static_cast<PoolId>(whole_number(json, "pool", 0, kLargestPool));
  if (request.verb == Verb::kConnect) request.pool_spec = read_pool(json.at("pool"));
  if (request.verb == Verb::kSlice) request.slice = read_slice(json.at("slice"));
  if (request.verb == Verb::kSpread) {
    const Json& redial = json.at("redial");
    if (redial.size() > kMostRedials) throw std::out_of_range("\"redial\" is too long");
    for (std::size_t i = 0; i < redial.size(); ++i) {
      const Json one{{"redial", redial.at(i)}};
      request.redial.push_back(static_cast<int>(whole_number(one, "redial", 0, kLargestPool)));
    }
  }
  return request;
}

ControlAnswer read_answer_message(const Json& json) {
  ControlAnswer answer;
  answer.id = static_cast<std::uint64_t>(whole_number(json, "id", 0, kLargestId));
  if (json.contains("error")) answer.error = error_from(json.at("error"));
  if (json.contains("pool")) {
    answer.pool = static_cast<PoolId>(whole_number(json, "pool", 0, kLargestPool));
  }
  if (json.contains("result")) answer.result = read_result(json.at("result"));
  if (json.contains("state")) answer.state = read_state(json.at("state"));
  return answer;
}

template <typename Read>
auto parse_message(std::string_view line, Read read) -> Result<decltype(read(Json()))> {
  const auto refuse = [](const std::string& why) {
    return fail(ErrorKind::kUsage, "not a message of the load's control: " + why,
                "run the same version of hone at both ends");
  };
  try {
    return read(Json::parse(line));
  } catch (const nlohmann::json::exception& e) {
    return refuse(e.what());
  } catch (const std::out_of_range& e) {
    return refuse(e.what());
  }
}

Result<std::string> text_of_message(const Json& json) {
  try {
    return json.dump();
  } catch (const nlohmann::json::exception&) {
    return fail(ErrorKind::kUsage, "a text of the load's control is not UTF-8",
                "write the request's path and headers in UTF-8");
  }
}

}  // namespace

Result<ControlRequest> parse_control_request(std::string_view line) {
  return parse_message(line, read_request_message);
}

Result<ControlAnswer> parse_control_answer(std::string_view line) {
  return parse_message(line, read_answer_message);
}

Result<std::string> control_text(const ControlRequest& request) {
  Json json{{"id", request.id}};
  for (const NamedVerb& known : kVerbs) {
    if (known.verb == request.verb) json["do"] = known.name;
  }
  if (request.verb == Verb::kConnect) {
    json["pool"] = whole_json(request.pool_spec);
  } else if (request.verb != Verb::kCut) {
    json["pool"] = request.pool;
  }
  if (request.verb == Verb::kSlice) json["slice"] = whole_json(request.slice);
  if (request.verb == Verb::kSpread) json["redial"] = request.redial;
  return text_of_message(json);
}

Result<std::string> control_text(const ControlAnswer& answer) {
  Json json{{"id", answer.id}};
  if (answer.error) json["error"] = error_json(*answer.error);
  if (answer.pool) json["pool"] = *answer.pool;
  if (answer.result) json["result"] = whole_json(*answer.result);
  if (answer.state) json["state"] = whole_json(*answer.state);
  return text_of_message(json);
}

std::string control_greeting() { return Json{{kGreetingKey, kControlVersion}}.dump(); }

Status check_control_greeting(std::string_view line) {
  const auto version = parse_message(
      line, [](const Json& json) { return whole_number(json, kGreetingKey, 0, kLargestId); });
  if (!version) {
    return fail(
        ErrorKind::kUsage,
        "the far side does not greet as hone's load, its first line is '" +
            std::string(line.substr(0, kQuotedBytes)) + "'",
        "see that what starts it there prints nothing itself, such as a shell's start files");
  }
  if (*version == kControlVersion) return {};
  return fail(ErrorKind::kUsage,
              "the far side speaks version " + std::to_string(*version) +
                  " of the load's control, and this one " + std::to_string(kControlVersion),
              "run the same version of hone at both ends");
}

}  // namespace hone::traffic::load
