// The connections of one UDP port by the ids that they are known by.
#pragma once

#include <ngtcp2/ngtcp2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>

namespace hone::traffic::wire {

class Http3ServerConnection;

class Http3Ids {
 public:
  void add(const ngtcp2_cid& id, Http3ServerConnection* connection) {
    by_id_[key_of(id.data, id.datalen)] = connection;
  }
  void remove(const ngtcp2_cid& id) { by_id_.erase(key_of(id.data, id.datalen)); }
  // Null: nobody's.
  Http3ServerConnection* find(const std::uint8_t* id, std::size_t size) const {
    const auto found = size <= NGTCP2_MAX_CIDLEN ? by_id_.find(key_of(id, size)) : by_id_.end();
    return found == by_id_.end() ? nullptr : found->second;
  }

 private:
  struct Key {
    std::array<std::uint8_t, NGTCP2_MAX_CIDLEN> bytes{};
    std::uint8_t size = 0;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(
          {reinterpret_cast<const char*>(key.bytes.data()), key.size});
    }
  };
  static Key key_of(const std::uint8_t* bytes, std::size_t size) {
    Key key;
    key.size = static_cast<std::uint8_t>(std::min(size, key.bytes.size()));
    std::memcpy(key.bytes.data(), bytes, key.size);
    return key;
  }

  std::unordered_map<Key, Http3ServerConnection*, Hash> by_id_;
};

}  // namespace hone::traffic::wire
