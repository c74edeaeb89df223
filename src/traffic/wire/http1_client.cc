// No pipelining: servers and proxies handle it by queueing, so it would measure the queue.
#include "traffic/wire/http1_client.h"

namespace hone::traffic::wire {
namespace {

// RFC 9110 8.6: these say their length even when it is zero.
bool method_has_body(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

Http1Request::Http1Request(const Request& request) : head_(request.method == "HEAD") {
  bytes_ = request.method + " " + request.path + " HTTP/1.1\r\nhost: " + request.authority + "\r\n";
  for (const Header& header : request.headers) {
    const bool ours = equals_lower(header.name, "host") ||
                      equals_lower(header.name, "content-length") ||
                      equals_lower(header.name, "transfer-encoding");
    if (!ours) bytes_ += header.name + ": " + header.value + "\r\n";
  }
  if (!request.body.empty() || method_has_body(request.method)) {
    bytes_ += "content-length: " + std::to_string(request.body.size()) + "\r\n";
  }
  bytes_ += "\r\n";
  bytes_ += request.body;
}

void Http1Client::submit(std::uint64_t id, const PreparedRequest& request) {
  const auto& prepared = static_cast<const Http1Request&>(request);
  id_ = id;
  open_ = true;
  sent_any_ = false;
  unsent_ = prepared.bytes();
  parser_.expect(prepared.head());
}

void Http1Client::consume(std::size_t bytes) {
  unsent_.remove_prefix(bytes);
  sent_any_ = true;
}

Status Http1Client::receive(std::string_view bytes) {
  if (violation_ != nullptr) return violate(violation_, failure_);
  while (!bytes.empty()) {
    if (!open_) {
      if (is_blank(bytes)) return {};
      return violate("bytes that no request asked for", Failure::kUnaskedBytes);
    }
    // A request submitted from within on_response has not been sent: what is left of the input
    // cannot be its answer.
    if (!sent_any_) {
      if (is_blank(bytes)) return {};
      return violate("a response before its request was sent", Failure::kUnaskedBytes);
    }
    switch (parser_.parse(&bytes)) {
      case Http1ResponseParser::Outcome::kMore:
        return {};
      case Http1ResponseParser::Outcome::kViolation:
        return violate(parser_.violation(), parser_.failure());
      case Http1ResponseParser::Outcome::kResponse:
        complete();
        break;
    }
  }
  return {};
}

// An empty line between responses is harmless, and some servers send one after a body.
bool Http1Client::is_blank(std::string_view bytes) {
  if (bytes.find_first_not_of("\r\n") != std::string_view::npos) return false;
  blank_bytes_ += bytes.size();
  return blank_bytes_ <= kMaxHeadBytes;
}

void Http1Client::complete() {
  open_ = false;
  blank_bytes_ = 0;
  if (!parser_.keep_alive()) {
    closing_ = true;
    failure_ = Failure::kCloseAnnounced;
    unsent_ = {};
  }
  const ResponseSummary summary = parser_.summary();  // submit() from within the event restarts it
  events_->on_response(id_, summary);
}

void Http1Client::end_of_input() {
  if (open_ && sent_any_ && parser_.ended_by_close()) {
    complete();
  } else if (open_) {
    close(parser_.cut_off());
  } else if (!closing_) {
    close(Failure::kClosedWhileIdle);
  }
}

void Http1Client::close(Failure failure) {
  closing_ = true;
  failure_ = failure;
  unsent_ = {};
  if (!open_) return;
  open_ = false;
  events_->on_loss(id_, Loss::kConnection, failure);
}

Status Http1Client::violate(Violation violation, Failure failure) {
  violation_ = violation;
  close(failure);
  return fail(ErrorKind::kNetwork, std::string("the HTTP/1 peer broke the protocol: ") + violation);
}

}  // namespace hone::traffic::wire
