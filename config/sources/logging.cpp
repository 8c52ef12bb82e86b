#include "config/sources/logging.hpp"

#include <utility>

#include "base/sys/log.hpp"

namespace bellows::config {

namespace {

sys::log::Format format_of(LogFormat format) {
  return format == LogFormat::kJson ? sys::log::Format::kJson : sys::log::Format::kPlain;
}

sys::log::Level level_of(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return sys::log::Level::kDebug;
    case LogLevel::kInfo:
      return sys::log::Level::kInfo;
    case LogLevel::kWarning:
      return sys::log::Level::kWarning;
    case LogLevel::kError:
      return sys::log::Level::kError;
    case LogLevel::kOff:
      return sys::log::Level::kOff;
  }
  return sys::log::Level::kInfo;
}

}  // namespace

void start_logging(const LogSettings& settings, std::string program) {
  sys::log::configure(format_of(settings.format), level_of(settings.level), std::move(program));
}

}  // namespace bellows::config
