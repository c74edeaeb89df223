// OpenSSL's hash is used because hone links it anyway and it uses the CPU's SHA instructions:
// binaries of a hundred megabytes are hashed before every round.
#include "base/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <new>

namespace hone {
namespace {

EVP_MD_CTX* as_context(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  // Both fail only when memory is out; a wrong hash must not come of it.
  if (context_ == nullptr || EVP_DigestInit_ex(as_context(context_), EVP_sha256(), nullptr) != 1)
    throw std::bad_alloc();
}

Sha256::~Sha256() { EVP_MD_CTX_free(as_context(context_)); }

void Sha256::add(std::string_view bytes) {
  EVP_DigestUpdate(as_context(context_), bytes.data(), bytes.size());
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(as_context(context_), digest.data(), &size);
  std::string text;
  text.reserve(std::size_t{size} * 2);
  for (unsigned int i = 0; i < size; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4];
    text += "0123456789abcdef"[digest[i] & 15];
  }
  return text;
}

std::string sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace hone
