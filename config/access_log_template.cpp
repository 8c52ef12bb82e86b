#include "config/access_log_template.hpp"

#include <algorithm>
#include <utility>

namespace bellows::config {

namespace {

bool is_written_plain(AccessField field) {
  switch (field) {
    case AccessField::kStatus:
    case AccessField::kRequestBytes:
    case AccessField::kResponseBytes:
    case AccessField::kRetries:
    case AccessField::kQueueMs:
    case AccessField::kLatencyMs:
      return true;
    default:
      return false;
  }
}

std::optional<AccessField> field_named(std::string_view name) {
  const auto& names = access_field_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<AccessField>(found - names.begin());
}

}  // namespace

const std::vector<std::string_view>& access_field_names() {
  static const std::vector<std::string_view> names = {
      "time",      "service",    "revision",      "method",         "host",       "url",
      "protocol",  "status",     "request_bytes", "response_bytes", "user_agent", "referer",
      "remote_ip", "server_ip",  "replica",       "retries",        "queue_ms",   "latency_ms",
      "trace_id",  "request_id", "error",         "grpc_status"};
  return names;
}

std::optional<std::vector<AccessPiece>> parse_access_template(std::string_view text) {
  std::vector<AccessPiece> pieces;
  std::string before;
  while (!text.empty()) {
    const std::size_t begin = text.find("${");
    before += text.substr(0, begin);
    if (begin == std::string_view::npos) break;
    const std::size_t end = text.find('}', begin);
    if (end == std::string_view::npos) return std::nullopt;
    const auto field = field_named(text.substr(begin + 2, end - begin - 2));
    if (!field) return std::nullopt;
    pieces.push_back({std::move(before), field});
    before.clear();
    text.remove_prefix(end + 1);
  }
  if (!before.empty()) pieces.push_back({std::move(before), std::nullopt});
  return pieces;
}

std::string json_access_template() {
  std::string text = "{";
  for (const std::string_view name : access_field_names()) {
    if (text.size() > 1) text += ',';
    const std::string quote = is_written_plain(*field_named(name)) ? "" : "\"";
    text += '"' + std::string(name) + "\":" + quote + "${" + std::string(name) + "}" + quote;
  }
  return text + "}";
}

}  // namespace bellows::config
