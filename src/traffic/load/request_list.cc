// Why JSON lines: a mix is often made by a script from a log, a line for each kind of request; and
// an error has a line that an editor can go to. A key that is not known is refused, for a mistyped
// one would otherwise send something else than was meant.
#include "traffic/load/request_list.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "traffic/wire/filler.h"
#include "traffic/wire/http1_syntax.h"

namespace hone::traffic::load {
namespace {

// A line with a head as large as any server at hand takes, and a body as text. Far above what
// somebody writes; it bounds what a mistaken file costs.
constexpr std::size_t kLongestLine = 1 << 20;

// All bodies of a list are in memory, once for each thread.
constexpr std::size_t kMostBodyBytes = std::size_t{1} << 30;

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys{"method",  "path", "share", "body_size",
                                             "headers", "body", "name"};
  return keys;
}

std::string lowered(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return text;
}

struct Entry {
  RequestShare share;
  std::size_t body_bytes = 0;  // of a body that is not made yet
};

tl::unexpected<Error> refuse(const std::string& what, const std::string& next = {}) {
  return fail(ErrorKind::kUsage, what, next);
}

Result<std::string> text_of(const std::string& key, const Json& value) {
  if (!value.is_string()) return refuse("\"" + key + "\" must be a text");
  return value.get<std::string>();
}

Status read_headers(const Json& value, wire::Request* request) {
  if (!value.is_object()) {
    return refuse("\"headers\" must be an object", R"(write {"headers": {"accept": "text/html"}})");
  }
  std::vector<wire::Header> read;
  for (const auto& [name, given] : value.items()) {
    const std::string lower = lowered(name);
    // The entry's word replaces the base's.
    std::erase_if(request->headers, [&](const wire::Header& base) { return base.name == lower; });
    for (const Json& one : given.is_array() ? given : Json::array({given})) {
      HONE_TRY(std::string text, text_of(name, one));
      read.push_back({lower, std::move(text)});
    }
  }
  for (wire::Header& header : read) add_header(request, std::move(header));
  return {};
}

Status read_key(const std::string& key, const Json& value, Entry* entry) {
  wire::Request& request = entry->share.request;
  if (key == "headers") return read_headers(value, &request);
  if (key == "share") {
    double& share = entry->share.share;
    share = value.is_number() ? value.get<double>() : 0;
    if (share > 0 && std::isfinite(share)) return {};
    return refuse("\"share\" must be a number above zero");
  }
  if (key == "body_size") {
    const bool whole = value.is_number_integer();
    const long long bytes = whole ? value.get<long long>() : -1;
    if (bytes < 0 || bytes > kLargestBody) {
      return refuse("\"body_size\" must be a whole number from 0 to " +
                    std::to_string(kLargestBody));
    }
    request.body.clear();
    entry->body_bytes = static_cast<std::size_t>(bytes);
    return {};
  }
  std::string* const target = key == "method" ? &request.method
                              : key == "path" ? &request.path
                              : key == "body" ? &request.body
                              : key == "name" ? &entry->share.name
                                              : nullptr;
  if (target == nullptr) {
    const std::string near = nearest(key, known_keys());
    return refuse("\"" + key + "\" is not known here",
                  near.empty() ? "use " + join(known_keys(), ", ") : "did you mean " + near + "?");
  }
  HONE_TRY(*target, text_of(key, value));
  return {};
}

Result<Entry> parse_entry(std::string_view line, const wire::Request& base) {
  if (line.size() > kLongestLine) {
    return refuse("the line is longer than " + std::to_string(kLongestLine) + " bytes",
                  "name the body's size with \"body_size\"");
  }
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    return refuse("not a JSON object", R"(write one a line, as {"path": "/", "share": 2})");
  }
  if (json.contains("body") && json.contains("body_size")) {
    return refuse("both \"body\" and \"body_size\"", "give one of them");
  }
  Entry entry{{base, 1, {}}, 0};
  for (const auto& [key, value] : json.items()) HONE_CHECK(read_key(key, value, &entry));
  HONE_CHECK(check_request(entry.share.request));
  return entry;
}

}  // namespace

Result<std::vector<RequestShare>> parse_request_list(std::string_view text, const std::string& file,
                                                     const wire::Request& base) {
  std::vector<RequestShare> list;
  std::size_t body_bytes = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = wire::trim_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line == "\r" || line.front() == '#') continue;
    Result<Entry> entry = parse_entry(line, base);
    if (entry) {
      body_bytes += std::max(entry->body_bytes, entry->share.request.body.size());
      if (list.size() == kMostRequests) {
        entry = refuse("more than " + std::to_string(kMostRequests) + " requests");
      } else if (body_bytes > kMostBodyBytes) {
        entry = refuse("with this one the bodies have more than " + std::to_string(kMostBodyBytes) +
                       " bytes in all");
      }
    }
    if (!entry) {
      Error error = std::move(entry).error();
      error.what = file + ":" + std::to_string(number) + ": " + error.what;
      return tl::make_unexpected(std::move(error));
    }
    if (entry->body_bytes > 0) entry->share.request.body = body_of(entry->body_bytes);
    list.push_back(std::move(entry->share));
  }
  if (list.empty()) {
    return refuse(file + " has no request", R"(write one a line, as {"path": "/", "share": 2})");
  }
  return list;
}

Result<wire::Header> parse_header(std::string_view text) {
  const std::size_t colon = text.find(':');
  wire::Header header{lowered(trim(text.substr(0, colon))), {}};
  if (colon == std::string_view::npos || header.name.empty()) {
    return refuse("not a header: \"" + std::string(text) + "\"", "write --header 'Name: value'");
  }
  header.value = trim(text.substr(colon + 1));
  return header;
}

void add_header(wire::Request* request, wire::Header header) {
  if (header.name == "host") {
    request->authority = std::move(header.value);
  } else {
    request->headers.push_back(std::move(header));
  }
}

Status check_request(const wire::Request& request) {
  if (!wire::is_token(request.method)) {
    return refuse("\"" + request.method + "\" is not a method");
  }
  if (request.method == "CONNECT") return refuse("CONNECT makes a tunnel, not a request");
  const auto ends_word = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; };
  const bool asterisk = request.method == "OPTIONS" && request.path == "*";
  if (!asterisk && !request.path.starts_with('/')) {
    return refuse("the path \"" + request.path + "\" does not begin with '/'");
  }
  if (std::any_of(request.path.begin(), request.path.end(), ends_word)) {
    return refuse("the path has a blank or a control character in it", "write %20 for a blank");
  }
  if (request.authority.empty() ||
      std::any_of(request.authority.begin(), request.authority.end(), ends_word)) {
    return refuse("\"" + request.authority + "\" is not a host");
  }
  for (const wire::Header& header : request.headers) {
    if (!wire::is_token(header.name)) return refuse("\"" + header.name + "\" is not a header name");
    if (wire::has_control(header.value)) {
      return refuse("the header " + header.name + " has a control character in it");
    }
  }
  return {};
}

std::string body_of(std::size_t bytes) {
  std::string body;
  body.reserve(bytes);
  while (body.size() < bytes) body += wire::filler(body.size(), bytes - body.size());
  return body;
}

}  // namespace hone::traffic::load
