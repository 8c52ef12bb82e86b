#include "http/h2/core/error_code.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace bellows::http2 {

std::string error_code_text(std::uint32_t code) {
  static constexpr std::array<std::string_view, 14> kNames = {"NO_ERROR",
                                                              "PROTOCOL_ERROR",
                                                              "INTERNAL_ERROR",
                                                              "FLOW_CONTROL_ERROR",
                                                              "SETTINGS_TIMEOUT",
                                                              "STREAM_CLOSED",
                                                              "FRAME_SIZE_ERROR",
                                                              "REFUSED_STREAM",
                                                              "CANCEL",
                                                              "COMPRESSION_ERROR",
                                                              "CONNECT_ERROR",
                                                              "ENHANCE_YOUR_CALM",
                                                              "INADEQUATE_SECURITY",
                                                              "HTTP_1_1_REQUIRED"};
  if (code < kNames.size()) return std::string(kNames[code]);
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "error 0x%x", code);
  return text.data();
}

}  // namespace bellows::http2
