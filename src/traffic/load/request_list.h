// A request mix as text: one JSON object a line, with blank lines and lines that begin with '#'
// left out. Pure: text in, list out.
//
//   {"path": "/search?q=1", "share": 3}
//   {"method": "POST", "path": "/upload", "body_size": 4096, "headers": {"x-kind": "photo"}}
//   {"method": "PUT", "path": "/item", "body": "text", "share": 0.5, "name": "small write"}
//
// All keys are optional. `headers` holds texts, or lists of texts for a name that comes several
// times. An entry has what `base` has wherever it says nothing itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

// RFC 9110 sets no limit on a body; more than this is a typing error.
inline constexpr long long kLargestBody = 1LL << 30;

// `file` is named, with the line, in errors (kUsage).
Result<std::vector<RequestShare>> parse_request_list(std::string_view text, const std::string& file,
                                                     const wire::Request& base);

// "Name: value", as on a command line; the name in lower case.
Result<wire::Header> parse_header(std::string_view text);
// Sets it; a host goes to the authority.
void add_header(wire::Request* request, wire::Header header);
// Whether it can be written without breaking the protocol: a method and names that are tokens, a
// path that begins with '/', nothing that ends a line.
Status check_request(const wire::Request& request);
// A body of that many bytes: letters, so that no filter takes them for binary.
std::string body_of(std::size_t bytes);

}  // namespace hone::traffic::load
