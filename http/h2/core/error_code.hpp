// Error codes of RST_STREAM and GOAWAY (RFC 9113 7). Pure.
#pragma once

#include <cstdint>
#include <string>

namespace bellows::http2 {

enum class ErrorCode : std::uint32_t {
  kNoError = 0x0,
  kProtocolError = 0x1,
  kInternalError = 0x2,
  kFlowControlError = 0x3,
  kSettingsTimeout = 0x4,
  kStreamClosed = 0x5,
  kFrameSizeError = 0x6,
  kRefusedStream = 0x7,
  kCancel = 0x8,
  kCompressionError = 0x9,
  kConnectError = 0xa,
  kEnhanceYourCalm = 0xb,
  kInadequateSecurity = 0xc,
  kHttp11Required = 0xd,
};

/// As a frame has it.
constexpr std::uint32_t code_of(ErrorCode code) {
  return static_cast<std::uint32_t>(code);
}

/// Returns "PROTOCOL_ERROR", or "error 0x1f" for a code that the RFC does not define.
std::string error_code_text(std::uint32_t code);

}  // namespace bellows::http2
