#include "traffic/wire/quic_tls.h"

#include <gnutls/crypto.h>
#include <ngtcp2/ngtcp2_crypto.h>
#include <ngtcp2/ngtcp2_crypto_gnutls.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "traffic/wire/http3_connection.h"

namespace hone::traffic::wire {
namespace {

// TLS 1.3 without the compatibility mode (RFC 9001 8.4); AES-128 first, as in every QUIC stack.
constexpr const char* kPriority =
    "%DISABLE_TLS13_COMPAT_MODE:NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:"
    "+AES-256-GCM:+CHACHA20-POLY1305:-GROUP-ALL:+GROUP-X25519:+GROUP-SECP256R1:"
    "+GROUP-SECP384R1:+GROUP-SECP521R1";

constexpr std::string_view kAlpn = "h3";

tl::unexpected<Error> quic_tls_failure(const std::string& what, int result, std::string next = {}) {
  return fail(ErrorKind::kNetwork, what + ": " + gnutls_strerror(result), std::move(next));
}

int keep_new_ticket(gnutls_session_t session, unsigned, unsigned, unsigned, const gnutls_datum_t*) {
  Http3Connection::of(session)->context().keep_ticket(session);
  return 0;
}

// As soon as a server can tell, so that the client gets the alert for it.
int require_h3(gnutls_session_t session, unsigned, unsigned, unsigned, const gnutls_datum_t*) {
  return agreed_on_h3(session) ? 0 : GNUTLS_E_NO_APPLICATION_PROTOCOL;
}

template <std::size_t kSize>
bool derive(gnutls_digest_algorithm_t digest, std::string label, const std::string& keys,
            std::array<std::uint8_t, kSize>* to) {
  label += keys;
  return gnutls_hash_get_len(digest) == kSize &&
         gnutls_hash_fast(digest, label.data(), label.size(), to->data()) == 0;
}

}  // namespace

bool agreed_on_h3(gnutls_session_t session) {
  gnutls_datum_t agreed{};
  return gnutls_alpn_get_selected_protocol(session, &agreed) == 0 &&
         std::string_view(reinterpret_cast<const char*>(agreed.data), agreed.size) == kAlpn;
}

void fill_randomly(std::uint8_t* to, std::size_t size) {
  if (gnutls_rnd(GNUTLS_RND_NONCE, to, size) != 0) std::abort();  // no entropy: nothing is safe
}

Status GnutlsContext::prepare() {
  gnutls_certificate_credentials_t credentials = nullptr;
  gnutls_priority_t priority = nullptr;
  int result = gnutls_certificate_allocate_credentials(&credentials);
  credentials_.reset(credentials);
  if (result == 0) result = gnutls_priority_init(&priority, kPriority, nullptr);
  priority_.reset(priority);
  if (result != 0) return quic_tls_failure("cannot set up TLS for QUIC", result);
  return {};
}

Result<std::shared_ptr<GnutlsContext>> GnutlsContext::make_client(const ClientTlsOptions& options) {
  auto made = std::make_shared<GnutlsContext>();
  made->options_ = options;
  HONE_TRY(made->name_, server_name(options));
  HONE_CHECK(made->prepare());
  if (!options.verify) return made;
  if (options.ca_pem.empty()) {
    const int loaded = gnutls_certificate_set_x509_system_trust(made->credentials_.get());
    if (loaded < 0) {
      return quic_tls_failure("cannot load the system's certificates", loaded,
                              "install ca-certificates, or give a file of authorities");
    }
    return made;
  }
  std::string pem = options.ca_pem;  // GnuTLS asks for bytes that it might write to
  const gnutls_datum_t text{reinterpret_cast<unsigned char*>(pem.data()),
                            static_cast<unsigned>(pem.size())};
  const int result =
      gnutls_certificate_set_x509_trust_mem(made->credentials_.get(), &text, GNUTLS_X509_FMT_PEM);
  if (result <= 0) {
    return fail(ErrorKind::kUsage,
                std::string("cannot read the certificate authorities: ") +
                    (result == 0 ? "there are none" : gnutls_strerror(result)),
                "give certificates in the PEM format");
  }
  return made;
}

Result<std::shared_ptr<GnutlsContext>> GnutlsContext::make_server(const std::string& cert_file,
                                                                  const std::string& key_file,
                                                                  const std::string& ticket_keys) {
  auto made = std::make_shared<GnutlsContext>();
  made->client_ = false;
  HONE_CHECK(made->prepare());
  const int result = gnutls_certificate_set_x509_key_file(
      made->credentials_.get(), cert_file.c_str(), key_file.c_str(), GNUTLS_X509_FMT_PEM);
  if (result < 0) {
    return fail(ErrorKind::kUsage,
                "cannot load the certificate " + cert_file + " with the key " + key_file + ": " +
                    gnutls_strerror(result),
                "give readable PEM files that belong to each other");
  }
  if (ticket_keys.empty()) {
    fill_randomly(made->ticket_key_.data(), made->ticket_key_.size());
    fill_randomly(made->reset_secret_.data(), made->reset_secret_.size());
  } else if (!derive(GNUTLS_DIG_SHA512, "hone quic tickets", ticket_keys, &made->ticket_key_) ||
             !derive(GNUTLS_DIG_SHA256, "hone quic resets", ticket_keys, &made->reset_secret_)) {
    return fail(ErrorKind::kInternal, "cannot derive the keys of QUIC's tickets");
  }
  return made;
}

Result<GnutlsSession> GnutlsContext::make_session(void* user, bool* resume) {
  // Tickets are sent once the handshake is done: before, libngtcp2 cannot take them.
  const unsigned flags =
      (client_ ? unsigned{GNUTLS_CLIENT} : unsigned{GNUTLS_SERVER} | GNUTLS_NO_AUTO_SEND_TICKET) |
      GNUTLS_NO_END_OF_EARLY_DATA;
  gnutls_session_t raw = nullptr;
  if (const int result = gnutls_init(&raw, flags); result != 0) {
    return quic_tls_failure("cannot make a TLS session", result);
  }
  GnutlsSession session(raw);
  gnutls_session_set_ptr(raw, user);
  const gnutls_datum_t alpn{reinterpret_cast<unsigned char*>(const_cast<char*>(kAlpn.data())),
                            static_cast<unsigned>(kAlpn.size())};
  int result = gnutls_priority_set(raw, priority_.get());
  if (result == 0) {
    result = gnutls_credentials_set(raw, GNUTLS_CRD_CERTIFICATE, credentials_.get());
  }
  if (result == 0) result = gnutls_alpn_set_protocols(raw, &alpn, 1, GNUTLS_ALPN_MANDATORY);
  if (result != 0) return quic_tls_failure("cannot set up a TLS session", result);
  HONE_CHECK(client_ ? set_up_client(raw, resume) : set_up_server(raw));
  return session;
}

Status GnutlsContext::set_up_client(gnutls_session_t session, bool* resume) {
  const std::string& name = name_.text;
  if (!name.empty() && !name_.is_address) {
    const int result = gnutls_server_name_set(session, GNUTLS_NAME_DNS, name.data(), name.size());
    if (result != 0) return quic_tls_failure("cannot send the server name " + name, result);
  }
  // Takes addresses too (GnuTLS 3.6).
  if (options_.verify) gnutls_session_set_verify_cert(session, name.c_str(), 0);
  if (ngtcp2_crypto_gnutls_configure_client_session(session) != 0) {
    return fail(ErrorKind::kInternal, "cannot set up a TLS session for QUIC");
  }
  if (!options_.resume) {
    *resume = false;
    return {};
  }
  gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_NEW_SESSION_TICKET, GNUTLS_HOOK_POST,
                                     keep_new_ticket);
  // One that GnuTLS does not take any more is as good as none.
  *resume = *resume && !ticket_.empty() &&
            gnutls_session_set_data(session, ticket_.data(), ticket_.size()) == 0;
  return {};
}

Status GnutlsContext::set_up_server(gnutls_session_t session) {
  const gnutls_datum_t key{ticket_key_.data(), static_cast<unsigned>(ticket_key_.size())};
  const int result = gnutls_session_ticket_enable_server(session, &key);
  if (result != 0) return quic_tls_failure("cannot enable TLS tickets", result);
  gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_CLIENT_HELLO, GNUTLS_HOOK_POST,
                                     require_h3);
  if (ngtcp2_crypto_gnutls_configure_server_session(session) != 0) {
    return fail(ErrorKind::kInternal, "cannot set up a TLS session for QUIC");
  }
  return {};
}

void GnutlsContext::keep_ticket(gnutls_session_t session) {
  gnutls_datum_t data{};
  if (gnutls_session_get_data2(session, &data) != 0) return;
  ticket_.assign(reinterpret_cast<const char*>(data.data), data.size);
  gnutls_free(data.data);
}

std::string handshake_reason(gnutls_session_t session, const GnutlsContext& context,
                             std::uint8_t alert) {
  std::string reason = "the TLS handshake failed";
  const unsigned status = gnutls_session_get_verify_cert_status(session);
  gnutls_datum_t text{};
  if (context.client() && status != 0 && status != unsigned(-1) &&
      gnutls_certificate_verification_status_print(status, gnutls_certificate_type_get(session),
                                                   &text, 0) == 0) {
    std::string why(reinterpret_cast<const char*>(text.data), text.size);
    gnutls_free(text.data);
    while (!why.empty() && (why.back() == ' ' || why.back() == '\0')) why.pop_back();
    return reason + ": " + why + " (the name is '" + context.verified_name() + "')";
  }
  const char* name = gnutls_alert_get_name(static_cast<gnutls_alert_description_t>(alert));
  return reason + ": alert " + (name != nullptr ? name : std::to_string(alert));
}

Result<std::shared_ptr<QuicContext>> QuicContext::client(const ClientTlsOptions& options) {
  HONE_TRY(std::shared_ptr<QuicContext> made, GnutlsContext::make_client(options));
  return made;
}

Result<std::shared_ptr<QuicContext>> QuicContext::server(const std::string& cert_file,
                                                         const std::string& key_file,
                                                         const std::string& ticket_keys) {
  HONE_TRY(std::shared_ptr<QuicContext> made,
           GnutlsContext::make_server(cert_file, key_file, ticket_keys));
  return made;
}

}  // namespace hone::traffic::wire
