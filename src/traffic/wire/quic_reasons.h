// The names of the codes with which QUIC and HTTP/3 connections and streams end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/wire/failure.h"

namespace hone::traffic::wire {

std::string http3_code_name(std::uint64_t code);  // "H3_NO_ERROR"; "error 0x1ff" of another one
std::string quic_code_name(std::uint64_t code);   // "PROTOCOL_VIOLATION", "TLS alert 48"

// What a server means that ends the handshake with this code.
Failure handshake_failure(std::uint64_t quic_code);

// A peer's text for a message: without control characters, and not too long.
std::string printable(std::string_view text);

}  // namespace hone::traffic::wire
