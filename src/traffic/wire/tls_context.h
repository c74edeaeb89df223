// OpenSSL's contexts behind TlsContext, for the channel beside it.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "traffic/wire/server_name.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::wire {

template <auto kFree>
struct OpensslDeleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
template <typename T, auto kFree>
using OpensslPtr = std::unique_ptr<T, OpensslDeleter<kFree>>;

class OpensslContext final : public TlsContext {
 public:
  static Result<std::shared_ptr<TlsContext>> make_client(const ClientTlsOptions& options);
  static Result<std::shared_ptr<TlsContext>> make_server(const std::string& cert_file,
                                                         const std::string& key_file,
                                                         std::string ticket_keys);

  bool client() const { return client_; }
  SSL_CTX* openssl() const { return context_.get(); }
  // Sets name, verification and, with `resume`, the session to resume on a new connection of a
  // client; true: there was one.
  Result<bool> prepare_client(SSL* ssl, bool resume) const;
  const std::string& verified_name() const { return name_.text; }

 private:
  static Result<std::shared_ptr<OpensslContext>> make(bool client);
  static int keep_session(SSL* ssl, SSL_SESSION* session);
  static int choose_alpn(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                         const unsigned char* offered, unsigned int offered_size, void*);

  bool client_ = true;
  ClientTlsOptions options_;
  ServerName name_;  // client
  OpensslPtr<SSL_CTX, SSL_CTX_free> context_;
  OpensslPtr<SSL_SESSION, SSL_SESSION_free> session_;  // the newest ticket
};

// "certificate verify failed (self-signed certificate)": takes OpenSSL's error queue, oldest first.
std::string openssl_reason();

}  // namespace hone::traffic::wire
