// The certificate is its own authority (CA:TRUE), so that a client can be given it as the file of
// authorities it trusts: OpenSSL, BoringSSL and browsers all accept that.
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstring>

#include "traffic/wire/tls_context.h"

namespace hone::traffic::wire {
namespace {

constexpr long kHour = 3600;
constexpr long kValidFor = 30L * 24 * kHour;  // as tls.h says

bool add_extension(X509* certificate, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const OpensslPtr<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  std::uint64_t serial = 0;
  unsigned char bytes[sizeof serial];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  std::memcpy(&serial, bytes, sizeof serial);
  serial >>= 1;  // RFC 5280 4.1.2.2: positive
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial | 1) == 1;
}

bool fill(X509* certificate, EVP_PKEY* key) {
  const auto* name = reinterpret_cast<const unsigned char*>("localhost");
  X509_NAME* subject = X509_get_subject_name(certificate);
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         // An hour back: the clocks of two machines differ.
         X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), kValidFor) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         add_extension(certificate, NID_subject_alt_name, "IP:127.0.0.1,IP:::1,DNS:localhost") &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
         X509_sign(certificate, key, EVP_sha256()) != 0;
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<CertificatePair> make_self_signed_certificate() {
  ERR_clear_error();
  const OpensslPtr<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const OpensslPtr<X509, X509_free> certificate(X509_new());
  const OpensslPtr<BIO, BIO_free_all> cert_text(BIO_new(BIO_s_mem()));
  const OpensslPtr<BIO, BIO_free_all> key_text(BIO_new(BIO_s_mem()));
  const bool made =
      key && certificate && cert_text && key_text && fill(certificate.get(), key.get()) &&
      PEM_write_bio_X509(cert_text.get(), certificate.get()) == 1 &&
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
          1;
  if (!made) {
    return fail(ErrorKind::kInternal, "cannot make a self-signed certificate: " + openssl_reason());
  }
  return CertificatePair{text_of(cert_text.get()), text_of(key_text.get())};
}

}  // namespace hone::traffic::wire
