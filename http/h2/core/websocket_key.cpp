#include "http/h2/core/websocket_key.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/base64.hpp"

namespace bellows::http2 {

namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

using Sha1State = std::array<std::uint32_t, 5>;

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t word = 0;
  for (const char c : bytes) word = (word << 8U) | static_cast<unsigned char>(c);
  return word;
}

/// Adds one block of 64 bytes (FIPS 180-4, 6.1.2).
void add_block(std::string_view block, Sha1State& state) {
  std::array<std::uint32_t, 80> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = big_endian(block.substr(4 * t, 4));
  for (std::size_t t = 16; t < w.size(); ++t) {
    w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  }
  auto [a, b, c, d, e] = state;
  for (std::size_t t = 0; t < w.size(); ++t) {
    std::uint32_t mix = 0;
    if (t < 20) {
      mix = ((b & c) | (~b & d)) + 0x5a827999U;
    } else if (t < 40) {
      mix = (b ^ c ^ d) + 0x6ed9eba1U;
    } else if (t < 60) {
      mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdcU;
    } else {
      mix = (b ^ c ^ d) + 0xca62c1d6U;
    }
    const std::uint32_t next = std::rotl(a, 5) + mix + e + w[t];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
}

std::string sha1(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (unsigned shift = 64; shift > 0; shift -= 8) {
    padded += static_cast<char>((bits >> (shift - 8)) & 0xffU);
  }
  Sha1State state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
  for (std::size_t at = 0; at < padded.size(); at += 64) {
    add_block(std::string_view(padded).substr(at, 64), state);
  }
  std::string digest;
  for (const std::uint32_t word : state) {
    for (unsigned shift = 32; shift > 0; shift -= 8) {
      digest += static_cast<char>((word >> (shift - 8)) & 0xffU);
    }
  }
  return digest;
}

}  // namespace

std::string make_websocket_key(Random& random) {
  std::string bytes;
  for (int word = 0; word < 2; ++word) {
    const std::uint64_t number = random.next();
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes += static_cast<char>((number >> shift) & 0xffU);
    }
  }
  return to_base64(bytes);
}

std::string websocket_accept(std::string_view key) {
  return to_base64(sha1(std::string(key).append(kGuid)));
}

}  // namespace bellows::http2
