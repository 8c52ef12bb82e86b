#include "proxy/core/misdirected.hpp"

#include <string>

#include "base/printable_text.hpp"
#include "http/core/field_reader.hpp"

namespace bellows::proxy {
namespace {

constexpr std::size_t kMaxShown = 1024;

/// Removes the dot of the root: "shop.example." is the same host.
std::string_view without_dot(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool is_forwarded(const http::Fields& fields) {
  using http::FieldId;
  return fields.has(FieldId::kForwarded) || fields.has(FieldId::kXForwardedFor) ||
         fields.has(FieldId::kXForwardedProto) || fields.has(FieldId::kXForwardedHost);
}

}  // namespace

std::optional<std::string_view> other_host(const http::RequestHead& head,
                                           std::string_view server_name, bool is_trusted) {
  if (server_name.empty() || http::equals_ignore_case(head.host, server_name)) return std::nullopt;
  std::string_view host = without_dot(http::host_without_port(head.host));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty() || http::equals_ignore_case(host, without_dot(server_name))) {
    return std::nullopt;
  }
  if (is_trusted && is_forwarded(head.fields)) return std::nullopt;
  return host;
}

LocalReply misdirected_reply(std::string_view host, std::string_view server_name) {
  LocalReply reply;
  reply.status = 421;
  reply.reason = "misdirected";
  reply.body = printable("request: its host is " + std::string(host) +
                             ", and this connection was made to " + std::string(server_name) +
                             " with a certificate that is not for it; want another connection",
                         kMaxShown) +
               "\n";
  return reply;
}

}  // namespace bellows::proxy
