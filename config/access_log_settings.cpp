#include "config/access_log_settings.hpp"

#include "config/access_log_template.hpp"

namespace bellows::config {

namespace {

std::string template_want() {
  std::string want = "text in which every ${...} is one of";
  for (const std::string_view name : access_field_names()) want += " " + std::string(name);
  return want;
}

std::optional<std::string> read_template(std::string_view text) {
  if (text.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  if (!parse_access_template(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

const Schema<AccessLogSettings>& access_log_schema() {
  using Settings = AccessLogSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> access;
    access.group("Access log");
    access.add(&Settings::enabled,
               {.name = "access-log",
                .aliases = {"logging.enable-request-log"},
                .help = "Write a line to standard output for each completed request."});
    access.add(&Settings::line,
               {.name = "access-log-template",
                .format = {.want = template_want(), .read = read_template},
                .help = "Template of a line. Values are escaped as in JSON strings.",
                .unset = "a JSON object with every field"});
    access.add(&Settings::probes, {.name = "access-log-probes",
                                   .aliases = {"logging.enable-probe-request-log"},
                                   .help = "Write a line for probes too."});
    return access;
  }();
  return schema;
}

}  // namespace bellows::config
