// The same settings for every subject and arm: TLS 1.2 and 1.3 in OpenSSL's default ciphers, no
// renegotiation, no kernel TLS (its CPU would be charged elsewhere), buffers kept between records.
#include "traffic/wire/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <string_view>

namespace hone::traffic::wire {
namespace {

// ALPN's wire form: each name after its length.
constexpr unsigned char kAlpnHttp1[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
constexpr unsigned char kAlpnHttp2[] = {2, 'h', '2'};
constexpr unsigned char kAlpnServer[] = {2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};

// A key's name (16), its HMAC key and its AES key (32 each): what SSL_CTX_set_tlsext_ticket_keys(3)
// takes.
constexpr std::size_t kTicketKeyBytes = 80;

tl::unexpected<Error> tls_failure(const std::string& what, std::string next = {}) {
  return fail(ErrorKind::kNetwork, what + ": " + openssl_reason(), std::move(next));
}

// All certificates of the text, of which there must be one at least.
Status trust(SSL_CTX* context, const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int trusted = 0;
  while (text != nullptr) {
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(
        PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free);
    if (!certificate) break;
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++trusted;
  }
  // The end of the text is an error to OpenSSL too.
  const bool ended = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (trusted == 0 || !ended) {
    return fail(ErrorKind::kUsage, "cannot read the certificate authorities: " + openssl_reason(),
                "give certificates in the PEM format");
  }
  ERR_clear_error();
  return {};
}

}  // namespace

std::string openssl_reason() {
  std::string text;
  const char* data = nullptr;
  int flags = 0;
  while (const unsigned long code = ERR_get_error_all(nullptr, nullptr, nullptr, &data, &flags)) {
    const char* reason = ERR_reason_error_string(code);
    if (!text.empty()) text += "; ";
    text += reason != nullptr ? reason : "error " + std::to_string(code);
    if ((flags & ERR_TXT_STRING) != 0 && data != nullptr && *data != '\0') {
      text += std::string(" (") + data + ")";
    }
  }
  return text.empty() ? "no reason given" : text;
}

Result<std::shared_ptr<TlsContext>> TlsContext::client(const ClientTlsOptions& options) {
  return OpensslContext::make_client(options);
}

Result<std::shared_ptr<TlsContext>> TlsContext::server(const std::string& cert_file,
                                                       const std::string& key_file,
                                                       const std::string& ticket_keys) {
  return OpensslContext::make_server(cert_file, key_file, ticket_keys);
}

Result<std::string> make_ticket_keys() {
  ERR_clear_error();
  std::string keys(kTicketKeyBytes, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(keys.data());
  if (RAND_bytes(bytes, static_cast<int>(keys.size())) != 1) {
    return tls_failure("cannot draw keys for TLS tickets");
  }
  return keys;
}

Result<std::shared_ptr<OpensslContext>> OpensslContext::make(bool client) {
  ERR_clear_error();
  auto made = std::make_shared<OpensslContext>();
  made->client_ = client;
  made->context_.reset(SSL_CTX_new(client ? TLS_client_method() : TLS_server_method()));
  SSL_CTX* context = made->context_.get();
  if (context == nullptr) return tls_failure("cannot set up TLS");
  if (SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
    return tls_failure("cannot set the least TLS version");
  }
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_clear_options(context, SSL_OP_ENABLE_KTLS);
  SSL_CTX_clear_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_app_data(context, made.get());
  return made;
}

Result<std::shared_ptr<TlsContext>> OpensslContext::make_client(const ClientTlsOptions& options) {
  HONE_TRY(auto made, make(true));
  made->options_ = options;
  HONE_TRY(made->name_, server_name(options));
  SSL_CTX* context = made->openssl();
  if (options.verify) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (!options.ca_pem.empty()) {
      HONE_CHECK(trust(context, options.ca_pem));
    } else if (SSL_CTX_set_default_verify_paths(context) != 1) {
      return tls_failure("cannot read the system's certificate authorities");
    }
  }
  const bool http2 = is_over_http2(options.protocol);
  // This one returns 0 when it succeeds.
  if (SSL_CTX_set_alpn_protos(context, http2 ? kAlpnHttp2 : kAlpnHttp1,
                              http2 ? sizeof kAlpnHttp2 : sizeof kAlpnHttp1) != 0) {
    return tls_failure("cannot offer a protocol by ALPN");
  }
  if (options.resume) {
    SSL_CTX_set_session_cache_mode(context,
                                   SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
    SSL_CTX_sess_set_new_cb(context, keep_session);
  } else {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  }
  return std::shared_ptr<TlsContext>(std::move(made));
}

Result<std::shared_ptr<TlsContext>> OpensslContext::make_server(const std::string& cert_file,
                                                                const std::string& key_file,
                                                                std::string ticket_keys) {
  HONE_TRY(auto made, make(false));
  SSL_CTX* context = made->openssl();
  if (SSL_CTX_use_certificate_chain_file(context, cert_file.c_str()) != 1) {
    return tls_failure("cannot read the certificate " + cert_file, "give a readable PEM file");
  }
  if (SSL_CTX_use_PrivateKey_file(context, key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return tls_failure("cannot read the private key " + key_file,
                       "give the readable PEM file of the key that belongs to " + cert_file);
  }
  if (SSL_CTX_check_private_key(context) != 1) {
    return tls_failure(key_file + " is not the key of " + cert_file);
  }
  if (!ticket_keys.empty() &&
      SSL_CTX_set_tlsext_ticket_keys(context, ticket_keys.data(),
                                     static_cast<long>(ticket_keys.size())) != 1) {
    return tls_failure("cannot set the keys of TLS tickets");
  }
  SSL_CTX_set_alpn_select_cb(context, choose_alpn, nullptr);
  constexpr std::string_view kSessionContext = "hone";
  SSL_CTX_set_session_id_context(context,
                                 reinterpret_cast<const unsigned char*>(kSessionContext.data()),
                                 kSessionContext.size());
  return std::shared_ptr<TlsContext>(std::move(made));
}

int OpensslContext::keep_session(SSL* ssl, SSL_SESSION* session) {
  auto* self = static_cast<OpensslContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
  // A copy: the connection's own becomes useless when that is freed before its close_notify.
  self->session_.reset(SSL_SESSION_dup(session));
  return 0;  // the reference stays OpenSSL's
}

int OpensslContext::choose_alpn(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                                const unsigned char* offered, unsigned int offered_size, void*) {
  unsigned char* match = nullptr;
  const int result = SSL_select_next_proto(&match, chosen_size, kAlpnServer, sizeof kAlpnServer,
                                           offered, offered_size);
  if (result != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;  // RFC 7301 3.2
  *chosen = match;
  return SSL_TLSEXT_ERR_OK;
}

Result<bool> OpensslContext::prepare_client(SSL* ssl, bool resume) const {
  const std::string& name = name_.text;
  if (!name.empty()) {
    if (!name_.is_address && SSL_set_tlsext_host_name(ssl, name.c_str()) != 1) {
      return tls_failure("cannot send the server name " + name);
    }
    if (options_.verify) {
      const int set = name_.is_address
                          ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str())
                          : SSL_set1_host(ssl, name.c_str());
      if (set != 1) return tls_failure("cannot verify the server name " + name);
    }
  }
  if (!resume || !options_.resume || session_ == nullptr) return false;
  const OpensslPtr<SSL_SESSION, SSL_SESSION_free> copy(SSL_SESSION_dup(session_.get()));
  if (copy == nullptr || SSL_set_session(ssl, copy.get()) != 1) {
    return tls_failure("cannot offer the last TLS session");
  }
  return true;
}

}  // namespace hone::traffic::wire
