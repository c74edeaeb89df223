// OpenSSL reads from and writes to a BIO of our own: it takes ciphertext where the socket's buffer
// holds it, and puts records straight into the output, where OpenSSL's memory BIOs would copy both.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "traffic/wire/output_buffer.h"
#include "traffic/wire/tls_context.h"

namespace hone::traffic::wire {
namespace {

// A TLS record holds at most this much plaintext (RFC 8446 5.1).
constexpr std::size_t kRecordBytes = 16 << 10;

class OpensslChannel final : public TlsChannel {
 public:
  OpensslChannel(std::shared_ptr<TlsContext> context, bool resume);
  ~OpensslChannel() override;
  OpensslChannel(const OpensslChannel&) = delete;
  OpensslChannel& operator=(const OpensslChannel&) = delete;

  Status receive(std::string_view cipher, std::string* plain) override;
  Status send(std::string_view plain) override;
  std::string_view output() override { return out_.view(); }
  void consume(std::size_t bytes) override { out_.consume(bytes); }
  Status start() override;
  void close() override;
  bool established() const override { return established_; }
  bool resumed() const override { return SSL_session_reused(ssl_.get()) == 1; }
  bool offered() const override { return offered_; }
  bool peer_closed() const override {
    return (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
  }
  std::string alpn() const override;

 private:
  static int bio_read(BIO* bio, char* to, int size);
  static int bio_write(BIO* bio, const char* from, int size);
  static long bio_control(BIO* bio, int command, long, void*);
  static BIO_METHOD* make_bio_method();

  Status shake_hands();
  Status read_records(std::string* plain);
  Status failure(const char* doing);

  std::shared_ptr<OpensslContext> context_;
  OpensslPtr<BIO_METHOD, BIO_meth_free> method_;
  OpensslPtr<SSL, SSL_free> ssl_;
  const bool resume_;
  bool offered_ = false;
  std::string_view in_;  // of the receive() that is running
  OutputBuffer out_;
  bool established_ = false;
  std::string failed_;  // empty: not
};

BIO_METHOD* OpensslChannel::make_bio_method() {
  BIO_METHOD* method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "hone");
  if (method == nullptr) throw std::bad_alloc();
  BIO_meth_set_read(method, bio_read);
  BIO_meth_set_write(method, bio_write);
  BIO_meth_set_ctrl(method, bio_control);
  return method;
}

OpensslChannel::OpensslChannel(std::shared_ptr<TlsContext> context, bool resume)
    : context_(std::static_pointer_cast<OpensslContext>(std::move(context))),
      method_(make_bio_method()),
      ssl_(SSL_new(context_->openssl())),
      resume_(resume) {
  BIO* bio = BIO_new(method_.get());
  if (ssl_ == nullptr || bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  if (context_->client()) {
    SSL_set_connect_state(ssl_.get());
  } else {
    SSL_set_accept_state(ssl_.get());
  }
}

OpensslChannel::~OpensslChannel() {
  // A connection that ends without close_notify would make OpenSSL give up the session it used,
  // which other connections are to resume.
  SSL_set_shutdown(ssl_.get(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
}

int OpensslChannel::bio_read(BIO* bio, char* to, int size) {
  auto* self = static_cast<OpensslChannel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  const auto piece = std::min(self->in_.size(), static_cast<std::size_t>(size));
  if (piece == 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  std::memcpy(to, self->in_.data(), piece);
  self->in_.remove_prefix(piece);
  return static_cast<int>(piece);
}

int OpensslChannel::bio_write(BIO* bio, const char* from, int size) {
  auto* self = static_cast<OpensslChannel*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  self->out_.append({from, static_cast<std::size_t>(size)});
  return size;
}

long OpensslChannel::bio_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

Status OpensslChannel::failure(const char* doing) {
  if (failed_.empty()) {
    failed_ = std::string(doing) + ": " + openssl_reason();
    const long verified = SSL_get_verify_result(ssl_.get());
    if (context_->client() && verified != X509_V_OK) {
      failed_ += std::string(": ") + X509_verify_cert_error_string(verified) + " (the name is '" +
                 context_->verified_name() + "')";
    }
  }
  return fail(ErrorKind::kNetwork, failed_);
}

Status OpensslChannel::start() {
  HONE_TRY(offered_, context_->prepare_client(ssl_.get(), resume_));
  return shake_hands();
}

Status OpensslChannel::shake_hands() {
  ERR_clear_error();
  const int result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    established_ = true;
    return {};
  }
  if (SSL_get_error(ssl_.get(), result) == SSL_ERROR_WANT_READ) return {};
  return failure("the TLS handshake failed");
}

Status OpensslChannel::receive(std::string_view cipher, std::string* plain) {
  if (!failed_.empty()) return failure("");
  in_ = cipher;
  Status status;
  if (!established_) status = shake_hands();
  if (status && established_) status = read_records(plain);
  in_ = {};  // what close_notify or a failure left over
  return status;
}

Status OpensslChannel::read_records(std::string* plain) {
  std::array<char, kRecordBytes> record;
  while (true) {
    ERR_clear_error();
    std::size_t size = 0;
    const int result = SSL_read_ex(ssl_.get(), record.data(), record.size(), &size);
    if (result == 1) {
      plain->append(record.data(), size);
      continue;
    }
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_ZERO_RETURN:
        return {};  // close_notify: peer_closed() tells
      default:
        return failure("the TLS connection failed");
    }
  }
}

Status OpensslChannel::send(std::string_view plain) {
  if (!failed_.empty()) return failure("");
  if (plain.empty()) return {};
  ERR_clear_error();
  std::size_t size = 0;
  // The BIO takes everything, so this writes all of it or fails.
  if (SSL_write_ex(ssl_.get(), plain.data(), plain.size(), &size) != 1) {
    return failure("cannot send over TLS");
  }
  return {};
}

void OpensslChannel::close() {
  if (!established_ || !failed_.empty()) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

std::string OpensslChannel::alpn() const {
  const unsigned char* chosen = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &chosen, &size);
  return {reinterpret_cast<const char*>(chosen), size};
}

}  // namespace

std::unique_ptr<TlsChannel> make_tls_channel(std::shared_ptr<TlsContext> context, bool resume) {
  return std::make_unique<OpensslChannel>(std::move(context), resume);
}

}  // namespace hone::traffic::wire
