#include "config/log_settings.hpp"

namespace bellows::config {

const Schema<LogSettings>& log_schema() {
  static const Schema<LogSettings> schema = [] {
    Schema<LogSettings> log;
    log.group("Log");
    log.add_choice(
        &LogSettings::format, {{"plain", LogFormat::kPlain}, {"json", LogFormat::kJson}},
        {.name = "log-format", .help = "Plain text for people, or one JSON object per line."});
    log.add_choice(&LogSettings::level,
                   {{"debug", LogLevel::kDebug},
                    {"info", LogLevel::kInfo},
                    {"warning", LogLevel::kWarning},
                    {"error", LogLevel::kError},
                    {"off", LogLevel::kOff}},
                   {.name = "log-level", .help = "Minimum level of the lines that are written."});
    return log;
  }();
  return schema;
}

}  // namespace bellows::config
