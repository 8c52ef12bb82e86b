// Frames of HTTP/2 by hand, also those that no library would send. HPACK: literals alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bellows::test {

enum FrameType : std::uint8_t {
  kData = 0,
  kHeaders = 1,
  kPriority = 2,
  kRstStream = 3,
  kSettings = 4,
  kPushPromise = 5,
  kPing = 6,
  kGoaway = 7,
  kWindowUpdate = 8,
  kContinuation = 9,
};
inline constexpr std::uint8_t kEndStream = 1;  ///< also ACK
inline constexpr std::uint8_t kAck = 1;
inline constexpr std::uint8_t kEndHeaders = 4;
inline constexpr std::uint8_t kPadded = 8;
inline constexpr std::uint8_t kHasPriority = 0x20;

using FieldPairs = std::vector<std::pair<std::string, std::string>>;

/// A request without anything special.
inline const FieldPairs kGetFields = {
    {":method", "GET"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}};
inline const FieldPairs kPostFields = {
    {":method", "POST"}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}};

inline FieldPairs plus(FieldPairs all, const FieldPairs& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

inline std::string number(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>((value >> (8 * i)) & 0xffU);
  return text;
}

inline std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                         std::string_view payload = {}) {
  std::string text = number(static_cast<std::uint32_t>(payload.size()), 3);
  text += static_cast<char>(type);
  text += static_cast<char>(flags);
  text += number(stream, 4);
  text += payload;
  return text;
}

/// RFC 7541 5.1 with a prefix of 7 bits.
inline std::string hpack_string(std::string_view value) {
  std::string text;
  if (value.size() < 127) {
    text += static_cast<char>(value.size());
  } else {
    text += '\x7f';
    std::size_t rest = value.size() - 127;
    while (rest >= 128) {
      text += static_cast<char>(rest % 128 + 128);
      rest /= 128;
    }
    text += static_cast<char>(rest);
  }
  text += value;
  return text;
}

/// RFC 7541 6.2.2: literals without indexing.
inline std::string block(const FieldPairs& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += '\0';
    text += hpack_string(name);
    text += hpack_string(value);
  }
  return text;
}

inline std::string headers(std::uint32_t stream, const FieldPairs& fields, bool ends = true) {
  const auto flags = static_cast<std::uint8_t>(kEndHeaders | (ends ? kEndStream : 0));
  return frame(kHeaders, flags, stream, block(fields));
}

struct Frame {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream = 0;
  std::string payload;

  std::uint32_t code(std::size_t at = 0) const {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + 4 && i < payload.size(); ++i) {
      value = value << 8U | static_cast<unsigned char>(payload[i]);
    }
    return value;
  }
};

/// Whole frames of `bytes`.
inline std::vector<Frame> frames_of(std::string_view bytes) {
  std::vector<Frame> all;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  while (bytes.size() >= 9) {
    const std::size_t size = (std::size_t{byte(0)} << 16U) | (std::size_t{byte(1)} << 8U) | byte(2);
    if (bytes.size() < 9 + size) break;
    const std::uint32_t stream = (static_cast<std::uint32_t>(byte(5)) << 24U) |
                                 (static_cast<std::uint32_t>(byte(6)) << 16U) |
                                 (static_cast<std::uint32_t>(byte(7)) << 8U) | byte(8);
    all.push_back({byte(3), byte(4), stream, std::string(bytes.substr(9, size))});
    bytes.remove_prefix(9 + size);
  }
  return all;
}

}  // namespace bellows::test
