// Our HTTP/1 parsers beside Boost.Beast's, over messages that are made and then damaged. Where the
// two disagree, the difference has a name and a reason below; each of them is met, so that the list
// says no more than what is so.
#include <gtest/gtest.h>

#include <boost/beast/http.hpp>
#include <map>
#include <optional>

#include "base/random.h"
#include "traffic/wire/http1_request_parser.h"
#include "traffic/wire/http1_response_parser.h"

namespace hone::traffic::wire {
namespace {

namespace http = boost::beast::http;

constexpr int kMessages = 60'000;
constexpr std::size_t kLargest = 1 << 20;

struct Verdict {
  std::string refusal;  // empty: taken
  bool whole = false;
  int status = 0;  // of a response
  std::string method, target;
  std::uint64_t body_bytes = 0;
  bool keep_alive = false;

  // One that is not whole yet may be refused a little earlier or later: neither takes it.
  bool agrees_with(const Verdict& other) const {
    if (whole != other.whole) return false;
    return !whole || (status == other.status && method == other.method && target == other.target &&
                      body_bytes == other.body_bytes && keep_alive == other.keep_alive);
  }
  std::string text() const {
    if (!refusal.empty()) return "refused: " + refusal;
    if (!whole) return "not whole";
    return std::to_string(status) + method + " " + target + ", body " + std::to_string(body_bytes) +
           (keep_alive ? ", stays" : ", closes");
  }
};

// Made of the parts that decide something, each drawn from good and questionable ones.
class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  std::string response() {
    std::string text = one_of({"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0"});
    text += one_of({" 200 OK", " 200 OK", " 200 OK", " 404 Not Found", " 204 No Content",
                    " 304 Not Modified", " 200 ", " 200", " 500 a: b"});
    return damaged(text + "\r\n" + rest());
  }
  std::string request() {
    std::string text = one_of({"GET", "GET", "POST", "PUT", "M-SEARCH"});
    text += one_of({" / ", " /a/b?c=d ", " * ", " http://h/x ", " /\xc3\xa4 ", " relative "});
    text += one_of({"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0"});
    text += one_of({"\r\nHost: h", "\r\nHost: h", "\r\nHost: h", "\r\nhost:h", ""});
    return damaged(text + "\r\n" + rest());
  }

 private:
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[random_.below(choices.size())];
  }
  std::string rest() {
    std::string fields;
    for (auto more = random_.below(3); more > 0; --more) {
      fields +=
          one_of({"X-A: b\r\n", "Accept: */*\r\n", "x:\r\n", "X-Long:  \t a  b \t\r\n",
                  "Connection: close\r\n", "connection: Keep-Alive\r\n", "Connection: x, close\r\n",
                  "Expect: 100-continue\r\n", "X-Fold: a\r\n b\r\n", "X-Utf: \xc3\xa4\r\n"});
    }
    const std::string body(random_.below(12), 'b');
    const std::string length = std::to_string(body.size());
    switch (random_.below(8)) {
      case 0:
        return fields + "\r\n";
      case 1:
        return fields + "Content-Length: " + length + "\r\nContent-Length: " + length + "\r\n\r\n" +
               body;
      case 2:
        return fields + "Content-Length: " + length + ", " + length + "\r\n\r\n" + body;
      case 3:
        return fields +
               one_of({"Transfer-Encoding: gzip\r\n", "Transfer-Encoding: gzip, chunked\r\n",
                       "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                       "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"}) +
               "\r\n3\r\nabc\r\n0\r\n\r\n";
      case 4:
      case 5:
        return fields + "Transfer-Encoding: chunked\r\n\r\n" + chunks();
      default:
        return fields + "Content-Length: " + length + "\r\n\r\n" + body;
    }
  }
  std::string chunks() {
    std::string text;
    for (auto more = random_.below(3); more > 0; --more) {
      text += one_of({"3\r\nabc\r\n", "03;a=b\r\nabc\r\n", "A\r\n0123456789\r\n",
                      "3;a=\"b;c\"\r\nabc\r\n", "3 ;x\r\nabc\r\n", "3  \r\nabc\r\n"});
    }
    return text + one_of({"0\r\n\r\n", "0\r\nT: u\r\n\r\n", "000\r\n\r\n"});
  }
  std::string damaged(std::string text) {
    static constexpr std::string_view kBytes("\r\n :,;\t0159aZ=\"\0\x7f\x80", 18);
    if (random_.below(3) == 0) return text;
    for (auto more = 1 + random_.below(2); more > 0 && !text.empty(); --more) {
      const auto at = random_.below(text.size());
      switch (random_.below(4)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, kBytes[random_.below(kBytes.size())]);
          break;
        case 2:
          text[at] = kBytes[random_.below(kBytes.size())];
          break;
        default: {  // a line twice
          const auto begin = text.rfind('\n', at);
          const auto end = text.find('\n', at);
          if (begin == text.npos || end == text.npos || end <= begin) break;
          text.insert(begin + 1, text.substr(begin + 1, end - begin));
        }
      }
    }
    return text;
  }

  Random random_;
};

Verdict ours_of_response(std::string_view text) {
  Http1ResponseParser parser;
  parser.expect(false);
  Verdict verdict;
  const auto outcome = parser.parse(&text);
  if (outcome == Http1ResponseParser::Outcome::kViolation) {
    verdict.refusal = parser.violation();
    return verdict;
  }
  verdict.whole = outcome == Http1ResponseParser::Outcome::kResponse || parser.ended_by_close();
  verdict.status = parser.summary().status;
  verdict.body_bytes = parser.summary().body_bytes;
  verdict.keep_alive = parser.keep_alive();
  return verdict;
}

Verdict ours_of_request(std::string_view text) {
  Http1RequestParser parser(kLargest);
  Verdict verdict;
  auto outcome = parser.parse(&text);
  if (outcome == Http1RequestParser::Outcome::kHead) {
    outcome = parser.take_body(true);
    if (outcome == Http1RequestParser::Outcome::kMore) outcome = parser.parse(&text);
  }
  if (outcome == Http1RequestParser::Outcome::kRefused) {
    verdict.refusal = parser.violation();
    return verdict;
  }
  verdict.whole = outcome == Http1RequestParser::Outcome::kRequest;
  if (!verdict.whole) return verdict;
  verdict.method = parser.request().method;
  verdict.target = parser.request().path;
  verdict.body_bytes = parser.request().body.size();
  verdict.keep_alive = parser.keep_alive();
  return verdict;
}

// Fed until it wants no more; then the stream ends.
template <typename Parser>
std::optional<std::string> feed(Parser* parser, std::string_view* text) {
  parser->eager(true);
  parser->header_limit(kLargest);
  parser->body_limit(kLargest);
  boost::beast::error_code error;
  while (!parser->is_done() && !text->empty()) {
    const auto taken = parser->put(boost::asio::buffer(text->data(), text->size()), error);
    text->remove_prefix(taken);
    if (error == http::error::need_more) break;
    if (error) return error.message();
    if (taken == 0) break;
  }
  if (!parser->is_done() && parser->got_some()) {
    parser->put_eof(error);
    if (error && error != http::error::partial_message) return error.message();
  }
  return {};
}

Verdict theirs_of_response(std::string_view text) {
  while (true) {  // it takes a 1xx as a message of its own
    Verdict verdict;
    http::response_parser<http::string_body> parser;
    if (const auto refusal = feed(&parser, &text)) {
      verdict.refusal = *refusal;
      return verdict;
    }
    verdict.whole = parser.is_done();
    if (!verdict.whole) return verdict;
    verdict.status = static_cast<int>(parser.get().result_int());
    if (verdict.status / 100 == 1 && verdict.status != 101) continue;
    verdict.body_bytes = parser.get().body().size();
    verdict.keep_alive = parser.keep_alive();
    return verdict;
  }
}

Verdict theirs_of_request(std::string_view text) {
  http::request_parser<http::string_body> parser;
  Verdict verdict;
  if (const auto refusal = feed(&parser, &text)) {
    verdict.refusal = *refusal;
    return verdict;
  }
  verdict.whole = parser.is_done();
  if (!verdict.whole) return verdict;
  verdict.method = std::string(parser.get().method_string());
  verdict.target = std::string(parser.get().target());
  verdict.body_bytes = parser.get().body().size();
  verdict.keep_alive = parser.keep_alive();
  return verdict;
}

bool has_bare_line_feed(std::string_view text) {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return true;
  }
  return false;
}

// Of all fields with that name, some element of the list is no token.
bool has_malformed_list(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto colon = line.find(':');
    if (colon == line.npos || !equals_lower(line.substr(0, colon), name)) continue;
    auto list = line.substr(colon + 1);
    if (list.ends_with('\r')) list.remove_suffix(1);
    while (!list.empty()) {
      const auto raw = list.substr(0, list.find(','));
      list.remove_prefix(std::min(raw.size() + 1, list.size()));
      const auto element = trim_blanks(raw);
      if (!element.empty() && !is_token(element)) return true;
    }
  }
  return false;
}

// What we take and Beast does not: servers and clients that are in use send it, and it leaves no
// doubt about where the message ends.
const char* kindness(const std::string& text, const Verdict& theirs) {
  const std::string& refusal = theirs.refusal;
  if (has_bare_line_feed(text)) return "a line may end in LF alone (RFC 9112 2.2)";
  if (text.starts_with("\r\n")) return "empty lines before a message are passed over";
  if (refusal == "bad status") return "the blank before an empty reason may be missing";
  if (refusal == "bad Content-Length") return "a list of equal lengths is that length";
  const bool open_quote = refusal.empty() && text.find("=\"") != text.npos;
  if (refusal == "bad chunk extension" || open_quote)
    return "blanks after a chunk's size, and odd extensions";
  if (refusal == "bad version") return "any HTTP/1.x answers HTTP/1.1";
  if (has_malformed_list(text, "connection")) return "odd words in Connection say nothing";
  if (has_malformed_list(text, "transfer-encoding")) return "a coding's name is not looked into";
  return nullptr;
}

// What we refuse and Beast takes.
const char* severity(const std::string& text, const Verdict& ours) {
  // Beast leaves these to who uses it; they are a server's duty (RFC 9112 3.2, RFC 9110 10.1.1).
  static const std::map<std::string_view, const char*> kReasons = {
      {"a request without a host header", "HTTP/1.1 asks for a host"},
      {"two host headers", "one host, or nobody knows which"},
      {"a request target that is neither a path nor a URL", "the target's form"},
      {"a request target without a host", "the target's form"},
      {"an unknown expectation", "417 for an expectation that we do not meet"},
      {"a folded header line", "a server refuses folds (RFC 9112 5.2)"},
      {"a folded header line where the body's framing could change", "a fold in a length"},
      {"transfer-encoding in an HTTP/1.0 request", "its framing is not to be trusted"},
      {"a transfer coding other than chunked", "a coding that we do not know"},
      {"a transfer-encoding that does not end in chunked", "nobody knows where it ends"},
      {"a transfer coding after chunked", "nobody knows where it ends"},
      {"content-length together with transfer-encoding", "smuggling, whatever the coding is"},
      {"a status that is not three digits", "a status below 100"},
      {"a control character in a chunk-size line", "control characters, in quotes too"},
      {"a chunk-size line that does not end in CRLF", "control characters, in quotes too"},
  };
  const auto found = kReasons.find(ours.refusal);
  if (found != kReasons.end()) return found->second;
  if (has_malformed_list(text, "transfer-encoding")) return "a coding's name is not looked into";
  return nullptr;
}

const char* other_reading(const std::string& text, const Verdict& ours, const Verdict& theirs) {
  if (has_bare_line_feed(text)) return "a line may end in LF alone (RFC 9112 2.2)";
  if (theirs.target.starts_with("http://") &&
      (theirs.target.ends_with(ours.target) || ours.target == "/")) {
    return "an absolute target is its path here";
  }
  if (has_malformed_list(text, "connection")) return "odd words in Connection say nothing";
  if (has_malformed_list(text, "transfer-encoding")) return "a coding's name is not looked into";
  if (ours.keep_alive == theirs.keep_alive) return nullptr;
  // Both leave a connection open only where nothing speaks against it.
  if (!ours.keep_alive) return "HTTP/1.0 with a coding, or with close and keep-alive, closes";
  return nullptr;
}

const char* difference(const std::string& text, const Verdict& ours, const Verdict& theirs) {
  if (ours.whole && theirs.whole) return other_reading(text, ours, theirs);
  return ours.whole ? kindness(text, theirs) : severity(text, ours);
}

using Differences = std::map<std::string, int>;

template <typename Make, typename Ours, typename Theirs>
Differences compare(std::uint64_t seed, Make make, Ours ours_of, Theirs theirs_of) {
  Maker maker(seed);
  Differences met;
  int unexplained = 0;
  int taken = 0;
  for (int i = 0; i < kMessages && unexplained < 10; ++i) {
    const std::string text = make(&maker);
    const Verdict ours = ours_of(text);
    const Verdict theirs = theirs_of(text);
    if (ours.whole && theirs.whole) ++taken;
    if (ours.agrees_with(theirs)) continue;
    const char* why = difference(text, ours, theirs);
    if (why != nullptr) {
      ++met[why];
    } else {
      ++unexplained;
      ADD_FAILURE() << "seed " << seed << ", message " << i << ": " << testing::PrintToString(text)
                    << "\nours:   " << ours.text() << "\ntheirs: " << theirs.text();
    }
  }
  EXPECT_GT(taken, kMessages / 4);
  return met;
}

TEST(Http1Differential, ResponsesAreReadAsBeastReadsThem) {
  const auto met = compare(
      1, [](Maker* maker) { return maker->response(); }, ours_of_response, theirs_of_response);
  for (const char* why :
       {"a line may end in LF alone (RFC 9112 2.2)",
        "the blank before an empty reason may be missing", "a list of equal lengths is that length",
        "blanks after a chunk's size, and odd extensions", "odd words in Connection say nothing",
        "smuggling, whatever the coding is",
        "HTTP/1.0 with a coding, or with close and keep-alive, closes"}) {
    EXPECT_TRUE(met.contains(why)) << why;
  }
}

TEST(Http1Differential, RequestsAreReadAsBeastReadsThem) {
  const auto met =
      compare(2, [](Maker* maker) { return maker->request(); }, ours_of_request, theirs_of_request);
  for (const char* why :
       {"a line may end in LF alone (RFC 9112 2.2)", "HTTP/1.1 asks for a host",
        "one host, or nobody knows which", "the target's form",
        "417 for an expectation that we do not meet", "a server refuses folds (RFC 9112 5.2)",
        "its framing is not to be trusted", "a coding that we do not know",
        "nobody knows where it ends", "smuggling, whatever the coding is",
        "an absolute target is its path here", "a list of equal lengths is that length"}) {
    EXPECT_TRUE(met.contains(why)) << why;
  }
}

}  // namespace
}  // namespace hone::traffic::wire
