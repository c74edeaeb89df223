// TLS over memory: ciphertext in, ciphertext out; OpenSSL stays behind this header.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "traffic/wire/message.h"

namespace hone::traffic::wire {

struct ClientTlsOptions {
  bool verify = true;
  std::string ca_pem;                    // authorities, as text; empty: the system's
  std::string sni;                       // also the name that is verified
  Protocol protocol = Protocol::kHttp1;  // offered by ALPN: "http/1.1" or "h2"
  bool resume = true;                    // offer the last session ticket of this context
};

class TlsContext {  // one per target or listener; shared by its connections, used by one thread
 public:
  static Result<std::shared_ptr<TlsContext>> client(const ClientTlsOptions&);
  // Offers h2 and http/1.1 by ALPN. `ticket_keys`, from make_ticket_keys(): contexts with the same
  // ones resume each other's sessions; empty: keys of its own.
  static Result<std::shared_ptr<TlsContext>> server(const std::string& cert_file,
                                                    const std::string& key_file,
                                                    const std::string& ticket_keys = {});
  virtual ~TlsContext() = default;
};

Result<std::string> make_ticket_keys();  // drawn at random

class TlsChannel {
 public:
  virtual ~TlsChannel() = default;
  // Ciphertext from the peer; appends what it decrypts to `plain`. Errors name OpenSSL's reason.
  virtual Status receive(std::string_view cipher, std::string* plain) = 0;
  // Plaintext to send; takes all of it once established() (before that: a precondition).
  virtual Status send(std::string_view plain) = 0;
  virtual std::string_view output() = 0;  // ciphertext to the peer
  virtual void consume(std::size_t bytes) = 0;
  virtual Status start() = 0;  // client: makes the ClientHello
  virtual void close() = 0;    // makes close_notify
  virtual bool established() const = 0;
  virtual bool resumed() const = 0;
  virtual bool offered() const = 0;      // client: a ticket, whatever the server makes of it
  virtual bool peer_closed() const = 0;  // close_notify came
  virtual std::string alpn() const = 0;  // "h2", "http/1.1" or "" when none was agreed
};

// `resume`: a client offers the context's last ticket, where it has one.
std::unique_ptr<TlsChannel> make_tls_channel(std::shared_ptr<TlsContext>, bool resume = true);

// A self-signed certificate and key for 127.0.0.1, ::1 and localhost (ECDSA P-256, 30 days), as PEM
// texts: subjects and tests serve TLS with it.
struct CertificatePair {
  std::string cert_pem;
  std::string key_pem;
};
Result<CertificatePair> make_self_signed_certificate();

}  // namespace hone::traffic::wire
