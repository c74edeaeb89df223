// Order within one event, as of a byte stream's: datagrams in, then the answers to the owner, then
// its new requests, then everything out in as few batches as it takes, acknowledgements included.
//
// What the kernel does not take is held back, for it counts as sent in QUIC's books; nothing more
// is made until it has left. A failed write is told by the next look at the timers, since flush()
// tells the owner nothing.
#include "traffic/load/http3_link.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "system/os_error.h"

namespace hone::traffic::load {

using system::DatagramBatch;
using system::Instant;
using system::net::Io;
using system::net::IoState;
using system::net::Loop;
using wire::Failure;

namespace {

// Messages of one read: answers to a burst on one connection, with room to spare. Each has a buffer
// of 64 KiB, touched only as far as it is filled.
constexpr int kMessagesPerRead = 8;

// Written in one event at most, so that one large upload does not keep the others waiting.
constexpr std::size_t kDatagramBudget = 1 << 20;

// Envoy, unless its listener prefers GRO, takes packets that the kernel has put together and drops
// all of such a packet but what one datagram may have: an upload would never arrive.
constexpr auto kPackets = system::net::Packets::kSingle;

Error over(std::string what) { return fail(ErrorKind::kNetwork, std::move(what)).value(); }

}  // namespace

Http3Links::Http3Links(ConnectionContext* context)
    : context_(context), reader_(kMessagesPerRead), output_(system::kMostBatchBytes) {}

Result<std::unique_ptr<Http3Links>> Http3Links::make(ConnectionContext* context,
                                                     const wire::ClientTlsOptions& options) {
  std::unique_ptr<Http3Links> made(new Http3Links(context));
  HONE_TRY(made->quic_, wire::QuicContext::client(options));
  return made;
}

std::unique_ptr<Link> Http3Links::add(int line) {
  const auto index = static_cast<std::size_t>(line);
  auto link = std::make_unique<Http3Link>(line, this);
  if (index >= links_.size()) links_.resize(index + 1);
  links_[index] = link.get();
  return link;
}

void Http3Links::advance(Instant now) {
  while (deadlines_.earliest() <= now) {
    const std::size_t line = deadlines_.first();
    deadlines_.set(line, Instant::max());  // expire() sets the next one, which lies ahead
    links_[line]->expire(now);
  }
}

Http3Link::Http3Link(int line, Http3Links* shared)
    : line_(line), shared_(shared), sender_(kPackets) {}

Http3Link::~Http3Link() {
  close();
  shared_->links_[static_cast<std::size_t>(line_)] = nullptr;
}

Status Http3Link::open() {
  failure_ = Failure::kConnectFailed;
  HONE_TRY(socket_, system::net::connect_datagrams(context().target.address));
  auto session = wire::make_http3_client(shared_->quic_, context().streams, this,
                                         Loop::read_clock(), context().draw_resumption());
  Status opened = session ? context().loop->add(socket_.fd(), EPOLLIN, this)
                          : Status(tl::make_unexpected(session.error()));
  if (!opened) {
    socket_.close();
    return opened;
  }
  session_ = *std::move(session);
  state_ = State::kHandshaking;
  full_ = false;
  write_error_ = 0;
  retired_ = false;
  answers_ = 0;
  sender_.clear();
  flush();
  return {};
}

void Http3Link::close() {
  if (state_ == State::kClosed) return;
  session_->close();
  if (!full_ && write_error_ == 0) {  // as far as the kernel takes it now
    const DatagramBatch goodbye = session_->write(Loop::read_clock(), shared_->output_);
    if (!goodbye.bytes.empty()) sender_.send(socket_.fd(), goodbye, nullptr);
  }
  shared_->deadlines_.set(static_cast<std::size_t>(line_), Instant::max());
  context().loop->remove(socket_.fd());
  socket_.close();
  session_.reset();
  state_ = State::kClosed;
}

void Http3Link::fall(Failure failure, const Error& why) {
  failure_ = failure;
  close();
  context().owner->down(line_, failure, why);
}

void Http3Link::fall_by(int error) {
  const bool new_one = state_ == State::kHandshaking;
  const Failure refused = new_one ? Failure::kConnectRefused : Failure::kConnectionReset;
  fall(error == ECONNREFUSED ? refused
       : new_one             ? Failure::kConnectFailed
                             : Failure::kConnectionReset,
       over("the connection broke: " + system::os_message(error)));
}

int Http3Link::free_slots() const {
  return state_ == State::kUp && !retired_ ? session_->free_slots() : 0;
}

bool Http3Link::retire() {
  retired_ = true;
  return session_->open_requests() == 0;
}

void Http3Link::submit(std::uint64_t id, std::uint16_t request) {
  session_->submit(id, *context().requests[request]);
}

void Http3Link::on_response(std::uint64_t id, const wire::ResponseSummary& response) {
  ++answers_;
  context().owner->answered(line_, id, response);
}

void Http3Link::on_loss(std::uint64_t id, wire::Loss why, Failure failure) {
  context().owner->lost(line_, id, why, failure);
}

void Http3Link::ready(std::uint32_t events) {
  if (events & EPOLLOUT) {
    watch(false);
    flush();
    context().owner->settled(line_);
  }
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_once();
}

void Http3Link::read_once() {
  const Io io = shared_->reader_.read(socket_.fd());
  if (io.state == IoState::kWouldBlock) return;
  if (io.state != IoState::kMoved) return fall_by(io.error);
  context().bytes_in += io.bytes;
  const Instant now = Loop::read_clock();
  Status received;
  for (const system::net::Arrival& arrival : shared_->reader_.arrivals()) {
    received = session_->receive(arrival.batch, now);
    if (!received) break;
  }
  settle(received);
}

void Http3Link::expire(Instant now) {
  if (write_error_ != 0) return fall_by(write_error_);
  settle(session_->expire(now));
}

void Http3Link::settle(const Status& status) {
  if (!status) {
    const Failure failure = session_->failure();
    flush();  // the CONNECTION_CLOSE that says why
    return fall(failure, status.error());
  }
  if (state_ == State::kHandshaking && session_->ready()) rise();
  if (is_spent()) return fall(session_->failure(), over("the server ended the connection"));
  context().owner->settled(line_);
  flush();
}

void Http3Link::rise() {
  state_ = State::kUp;
  ++context().connections_made;
  ++(session_->resumed() ? context().handshakes_resumed : context().handshakes_full);
  if (session_->offered()) ++context().handshakes_offered;
  context().owner->up(line_);
}

// Nothing more can come of it: the peer's GOAWAY, or a retirement.
bool Http3Link::is_spent() const {
  if (session_->open_requests() > 0) return false;
  return session_->closing() || retired_;
}

void Http3Link::flush() {
  if (full_ || state_ == State::kClosed || write_error_ != 0) return;
  const Instant now = Loop::read_clock();
  std::size_t budget = kDatagramBudget;
  bool goes_on = went(sender_.resend(socket_.fd()));
  while (goes_on) {
    const DatagramBatch batch = session_->write(now, shared_->output_);
    if (batch.bytes.empty()) break;
    goes_on = went(sender_.send(socket_.fd(), batch, nullptr));
    budget -= std::min(budget, batch.bytes.size());
    if (goes_on && budget == 0) {
      watch(true);
      goes_on = false;
    }
  }
  const Instant next = write_error_ != 0 ? Instant::min() : session_->expiry();
  shared_->deadlines_.set(static_cast<std::size_t>(line_), next);
}

// False: no more can be sent now.
bool Http3Link::went(const Io& io) {
  context().bytes_out += io.bytes;
  if (io.state == IoState::kWouldBlock) watch(true);
  if (io.state == IoState::kFailed) write_error_ = io.error;
  return io.state == IoState::kMoved;
}

void Http3Link::watch(bool writable) {
  full_ = writable;
  // It can only fail for want of kernel memory; the request then runs into its timeout.
  (void)context().loop->change(socket_.fd(), writable ? EPOLLIN | EPOLLOUT : EPOLLIN, this);
}

}  // namespace hone::traffic::load
