// SHA-256 of text, in hexadecimal: names of profiles and fingerprints.
#pragma once

#include <string>
#include <string_view>

namespace hone {

std::string sha256(std::string_view bytes);

class Sha256 {  // for files read in pieces
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void add(std::string_view bytes);
  std::string hex();  // ends the hash; call once

 private:
  void* context_;  // EVP_MD_CTX, kept out of the header
};

}  // namespace hone
