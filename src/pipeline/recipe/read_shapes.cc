// [[shape]]: the traffic patterns. What a request may not carry is refused here: a header that the
// wire layer sets itself would be sent twice.
#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <string_view>

#include "pipeline/recipe/placeholders.h"
#include "pipeline/recipe/sections.h"
#include "pipeline/recipe/table_reader.h"

namespace hone::pipeline {
namespace {

// A request body lies in memory once per connection; 64 MiB is more than any shape needs.
constexpr long long kBodyLimit = 64LL << 20;
// Shares are normalised; beyond this ratio the smaller ones vanish in any sum.
constexpr double kShareLimit = 1e6;
// The leg that holds the counts of starting up.
const char kReservedName[] = "start-up";

constexpr std::array<std::string_view, 9> kOwnHeaders = {
    "host",       "content-length",   "transfer-encoding",
    "connection", "keep-alive",       "upgrade",
    "te",         "proxy-connection", "expect"};

// tchar of RFC 9110, section 5.6.2.
bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_header_value(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= ' ' && c != 0x7f); });
}

void read_headers(const Node& table, TableReader* reader,
                  std::vector<traffic::wire::Header>* headers) {
  for (const Node::Member& member : table.members) {
    std::string header = member.key;
    std::transform(header.begin(), header.end(), header.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (!is_token(header)) {
      reader->fault(member.key_origin, "'" + member.key + "' is not a header name");
      return;
    }
    if (std::find(kOwnHeaders.begin(), kOwnHeaders.end(), header) != kOwnHeaders.end()) {
      reader->fault(member.key_origin, "'" + member.key + "' is set by hone itself: leave it out");
      return;
    }
    const bool several = member.value.kind == Node::Kind::kArray;
    const std::vector<Node> values = several ? member.value.items : std::vector<Node>{member.value};
    for (const Node& value : values) {
      if (value.kind != Node::Kind::kText || !is_header_value(value.text)) {
        reader->fault(value.origin, "header '" + member.key +
                                        "' must be text without line breaks, or a list of such");
        return;
      }
      headers->push_back({header, value.text});
    }
  }
}

// Of a pattern from the recipe: nothing when it is a regular expression with one group.
std::string pattern_fault(const std::string& pattern) {
  try {
    const std::regex regex(pattern);
    if (regex.mark_count() == 1) return "";
    return "it needs one group, in brackets, around the number, and has " +
           std::to_string(regex.mark_count());
  } catch (const std::regex_error& error) {
    return std::string("it is no regular expression: ") + error.what();
  }
}

Status read_generator(const Node& table, subject::Generator* generator) {
  TableReader reader(table, "[shape.generator]");
  reader.texts("command", &generator->command);
  reader.text("answers", &generator->answers);
  reader.text("answers_json", &generator->answers_json);
  reader.text("failures", &generator->failures);
  reader.require("command", "the program that sends the leg's traffic, and its arguments");
  reader.one_of("answers", "answers_json", /*optional=*/false);
  if (const Node* command = table.find("command")) {
    check_placeholders(*command, "command", &reader, {"url", "seconds", "connections", "streams"});
  }
  for (const char* key : {"answers", "failures"}) {
    const Node* node = table.find(key);
    if (node == nullptr || node->kind != Node::Kind::kText) continue;
    if (const std::string fault = pattern_fault(node->text); !fault.empty()) {
      reader.fault(node->origin, std::string(key) + " in [shape.generator]: " + fault);
    }
  }
  if (!generator->answers_json.empty() && !generator->answers_json.starts_with('/')) {
    reader.fault(table.find("answers_json")->origin,
                 "answers_json in [shape.generator] must be a JSON pointer, as \"/ok\"");
  }
  return reader.finish();
}

Status read_shape(const Node& table, subject::Shape* shape) {
  TableReader reader(table, "[[shape]]");
  std::string protocol = traffic::wire::name(shape->protocol);
  long long body = 0;
  reader.file_name("name", &shape->name);
  reader.choice("protocol", "protocol", {"h1", "h2", "h3", "grpc"}, &protocol);
  reader.flag("tls", &shape->tls);
  reader.text("method", &shape->method);
  reader.text("path", &shape->path);
  const Node* headers = reader.node("headers", Node::Kind::kTable);
  reader.integer("body", 0, kBodyLimit, &body);
  const Node* config = reader.node("config", Node::Kind::kTable);
  reader.flag("train", &shape->train);
  reader.flag("prove", &shape->prove);
  reader.number("share", {0, kShareLimit, true, false}, &shape->share);
  const Node* generator = reader.node("generator", Node::Kind::kTable);
  reader.require("name", "how reports call it");
  if (headers != nullptr) read_headers(*headers, &reader, &shape->headers);
  if (config != nullptr) shape->config = to_json(*config);
  shape->body_bytes = static_cast<std::uint64_t>(body);
  if (shape->name == kReservedName) {
    reader.fault(table.find("name")->origin,
                 "'start-up' names the leg of starting up: choose another name");
  }
  if (!is_token(shape->method)) {
    reader.fault(table.find("method")->origin, "'" + shape->method + "' is not a method");
  }
  const bool printable = std::all_of(shape->path.begin(), shape->path.end(),
                                     [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (!shape->path.starts_with("/") || !printable) {
    reader.fault(table.find("path")->origin,
                 "path in [[shape]] must begin with '/' and hold no spaces: percent-encode them");
  }
  if (protocol == "h3" && !shape->tls) {
    reader.fault(table.find("protocol")->origin, "HTTP/3 goes over TLS only", "add tls = true");
  }
  if (generator != nullptr) {
    const Node* prove = table.find("prove");
    if (prove != nullptr && shape->prove) {
      reader.fault(
          prove->origin,
          "a shape with a generator of its own cannot be proved: the slices of a round need "
          "connections that stay",
          "leave prove out; a second shape without [shape.generator] can be proved");
    }
    shape->prove = false;
  }
  HONE_CHECK(reader.finish());
  if (generator != nullptr) HONE_CHECK(read_generator(*generator, &shape->generator.emplace()));
  HONE_TRY(shape->protocol, traffic::wire::parse_protocol(protocol));
  return {};
}

}  // namespace

Status read_shapes(const Node& array, std::vector<subject::Shape>* shapes) {
  for (const Node& item : array.items) {
    if (item.kind != Node::Kind::kTable) {
      return tl::make_unexpected(recipe_error(item.origin, "shape must be tables: [[shape]]"));
    }
    subject::Shape shape;
    HONE_CHECK(read_shape(item, &shape));
    for (const subject::Shape& other : *shapes) {
      if (other.name != shape.name) continue;
      return tl::make_unexpected(
          recipe_error(item.find("name")->origin, "two shapes are named '" + shape.name + "'"));
    }
    shapes->push_back(std::move(shape));
  }
  return {};
}

}  // namespace hone::pipeline
