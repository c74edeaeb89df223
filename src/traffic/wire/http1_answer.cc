#include "traffic/wire/http1_answer.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "traffic/wire/filler.h"

namespace hone::traffic::wire {
namespace {

// The size of a chunk: what nginx's proxy and Envoy send when their read buffers are full (16 KiB).
constexpr std::uint64_t kChunkBytes = 16 << 10;

// The early hint itself does not matter; this is the example of RFC 8297.
constexpr std::string_view kEarlyHint =
    "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload; as=style\r\n\r\n";

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Status";
  }
}

void append_number(std::uint64_t number, int base, std::string* out) {
  char digits[24];  // 20 decimal digits at most
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, base).ptr;
  out->append(digits, end);
}

void append_header(std::string_view name, std::string_view value, std::string* out) {
  out->append(name).append(": ").append(value).append("\r\n");
}

void append_chunk(std::string_view data, std::string* out) {
  append_number(data.size(), 16, out);
  out->append("\r\n").append(data).append("\r\n");
}

}  // namespace

void write_answer(const Reply& reply, const Http1Asked& asked, std::string_view date,
                  std::string* front, Http1Answer* answer) {
  // Chunks are not for HTTP/1.0: the close of the connection ends the body there.
  const bool close_framed = reply.framing == Framing::kClose ||
                            (reply.framing == Framing::kChunked && asked.minor_version_0);
  const bool bodiless = reply.status == 204 || reply.status == 304;
  const std::uint64_t length = reply.body.empty() ? reply.body_length : reply.body.size();
  answer->chunked = reply.framing == Framing::kChunked && !close_framed && !bodiless;
  answer->close = reply.close || !asked.keep_alive || close_framed;
  answer->offset = 0;
  answer->back.clear();

  for (int i = 0; i < reply.early_hints && !asked.minor_version_0; ++i) front->append(kEarlyHint);
  front->append("HTTP/1.1 ");
  append_number(static_cast<std::uint64_t>(reply.status), 10, front);
  front->append(" ").append(reason(reply.status)).append("\r\n");
  if (!date.empty()) append_header("date", date, front);
  for (const Header& header : reply.headers) append_header(header.name, header.value, front);
  if (answer->chunked) {
    append_header("transfer-encoding", "chunked", front);
  } else if (!close_framed && !bodiless) {
    front->append("content-length: ");
    append_number(length, 10, front);
    front->append("\r\n");
  }
  if (answer->close) {
    append_header("connection", "close", front);
  } else if (asked.minor_version_0) {
    append_header("connection", "keep-alive", front);
  }
  front->append("\r\n");

  const bool has_body = !asked.to_head && !bodiless;
  answer->chunked = answer->chunked && has_body;
  answer->filler = has_body && reply.body.empty() ? reply.body_length : 0;
  if (has_body && !reply.body.empty()) {
    if (answer->chunked) {
      append_chunk(reply.body, front);
    } else {
      front->append(reply.body);
    }
  }
  if (answer->chunked) {
    answer->back.append("0\r\n");
    for (const Header& trailer : reply.trailers) {
      append_header(trailer.name, trailer.value, &answer->back);
    }
    answer->back.append("\r\n");
  }
}

void write_filler(Http1Answer* answer, std::string* out) {
  const auto piece = filler(answer->offset, std::min(answer->filler, kChunkBytes));
  if (answer->chunked) {
    append_chunk(piece, out);
  } else {
    out->append(piece);
  }
  answer->offset += piece.size();
  answer->filler -= piece.size();
}

}  // namespace hone::traffic::wire
