// Tells a connection of HTTP/2 from one of HTTP/1.1 by its first bytes (RFC 9113 3.4). Pure, and
// without any code of the library: a program that never meets a preface maps none of it.
#pragma once

#include <cstdint>
#include <string_view>

namespace bellows::http2 {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class PrefaceMatch : std::uint8_t {
  kNo,     ///< something else
  kMaybe,  ///< all of it so far: wait for more
  kYes,
};

/// `bytes`: all that has arrived, from the first byte of the connection on.
inline PrefaceMatch match_preface(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kPreface.size());
  if (!kPreface.starts_with(begin)) return PrefaceMatch::kNo;
  return begin.size() == kPreface.size() ? PrefaceMatch::kYes : PrefaceMatch::kMaybe;
}

}  // namespace bellows::http2
