// Distinguishes HTTP/2 from HTTP/1.1 by the first bytes of a connection (RFC 9113 3.4). Pure. It
// uses no code of the library, so a program that never receives a preface maps none of the library.
#pragma once

#include <cstdint>
#include <string_view>

namespace bellows::http2 {

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class PrefaceMatch : std::uint8_t {
  kNo,     ///< something else
  kMaybe,  ///< the beginning of a preface: wait for more
  kYes,
};

/// Compares the first bytes of a connection, all that have arrived, with the preface.
inline PrefaceMatch match_preface(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kPreface.size());
  if (!kPreface.starts_with(begin)) return PrefaceMatch::kNo;
  return begin.size() == kPreface.size() ? PrefaceMatch::kYes : PrefaceMatch::kMaybe;
}

}  // namespace bellows::http2
