#include "proxy/core/hsts.hpp"

#include <string_view>

namespace bellows::proxy {
namespace {

constexpr std::string_view kLower = "strict-transport-security";

void append_policy(std::chrono::seconds max_age, std::string& lines) {
  ((lines += "Strict-Transport-Security: max-age=") += std::to_string(max_age.count())) += "\r\n";
}

}  // namespace

void append_hsts(std::chrono::seconds max_age, const http::Fields& response, std::string& lines) {
  if (max_age > max_age.zero() && !response.find(kLower)) append_policy(max_age, lines);
}

void append_hsts(std::chrono::seconds max_age, LocalReply& reply) {
  if (max_age <= max_age.zero()) return;
  std::string_view lines = reply.extra_lines;
  while (!lines.empty()) {
    if (http::equals_lower(lines.substr(0, kLower.size()), kLower)) return;
    const std::size_t end = lines.find('\n');
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  append_policy(max_age, reply.extra_lines);
}

}  // namespace bellows::proxy
