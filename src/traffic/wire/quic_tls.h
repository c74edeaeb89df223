// GnuTLS behind QuicContext: what the TLS sessions of QUIC connections share. OpenSSL, which the
// other protocols use, has no QUIC on Debian 12.
#pragma once

#include <gnutls/gnutls.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "traffic/wire/http3.h"
#include "traffic/wire/server_name.h"

namespace hone::traffic::wire {

template <auto kFree>
struct GnutlsDeleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename Handle, auto kFree>
using GnutlsPtr = std::unique_ptr<std::remove_pointer_t<Handle>, GnutlsDeleter<kFree>>;
using GnutlsSession = GnutlsPtr<gnutls_session_t, gnutls_deinit>;

class GnutlsContext final : public QuicContext {
 public:
  static Result<std::shared_ptr<GnutlsContext>> make_client(const ClientTlsOptions& options);
  static Result<std::shared_ptr<GnutlsContext>> make_server(const std::string& cert_file,
                                                            const std::string& key_file,
                                                            const std::string& ticket_keys);

  bool client() const { return client_; }
  const std::string& verified_name() const { return name_.text; }
  // `user` becomes the session's pointer: what libngtcp2 asks for as its ngtcp2_crypto_conn_ref.
  // `resume`: a client offers the last ticket; on return, whether it had one to offer.
  Result<GnutlsSession> make_session(void* user, bool* resume);
  void keep_ticket(gnutls_session_t session);  // client: the newest is offered next
  // For Http3Connection's stateless resets.
  const std::array<std::uint8_t, 32>& reset_secret() const { return reset_secret_; }

 private:
  Status prepare();  // credentials and priority
  Status set_up_client(gnutls_session_t session, bool* resume);
  Status set_up_server(gnutls_session_t session);

  bool client_ = true;
  ClientTlsOptions options_;
  ServerName name_;  // client
  GnutlsPtr<gnutls_certificate_credentials_t, gnutls_certificate_free_credentials> credentials_;
  GnutlsPtr<gnutls_priority_t, gnutls_priority_deinit> priority_;
  std::string ticket_;                         // client: empty until one came
  std::array<std::uint8_t, 64> ticket_key_{};  // server: GnuTLS wants 64 bytes
  std::array<std::uint8_t, 32> reset_secret_{};
};

// Why a handshake failed: of a certificate that does not verify what is wrong with it, else the
// alert that was sent.
std::string handshake_reason(gnutls_session_t session, const GnutlsContext& context,
                             std::uint8_t alert);

bool agreed_on_h3(gnutls_session_t session);  // by ALPN

void fill_randomly(std::uint8_t* to, std::size_t size);

}  // namespace hone::traffic::wire
