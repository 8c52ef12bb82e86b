// Log settings; config/sources/logging.hpp applies them.
#pragma once

#include <cstdint>

namespace bellows::config {

enum class LogFormat : std::uint8_t { kPlain, kJson };
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError, kOff };

struct LogSettings {
  LogFormat format = LogFormat::kPlain;
  LogLevel level = LogLevel::kInfo;

  bool operator==(const LogSettings&) const = default;
};

}  // namespace bellows::config
