#include "activator/core/probe_request.hpp"

#include <string>
#include <string_view>

namespace bellows::activator {
namespace {

proxy::LocalReply failed(const Error& error) {
  proxy::LocalReply reply = proxy::local_reply_for(error);
  reply.is_probe = true;
  return reply;
}

proxy::LocalReply draining() {
  return failed(Error(ErrorKind::kUnavailable, "activator", "is draining"));
}

proxy::LocalReply malformed(std::string_view header, std::string_view want) {
  return proxy::local_reply_for(
      Error(ErrorKind::kMalformed, std::string(header), std::string(want), ErrorSide::kDownstream));
}

proxy::LocalReply ok(std::string_view body) {
  proxy::LocalReply reply;
  reply.body = body;
  reply.reason = "probe";
  return reply;
}

proxy::LocalReply reply_to_network_probe(const http::RequestHead& head, std::string_view probe) {
  if (probe == "activator") return ok("activator");
  if (probe != "probe") return malformed("K-Network-Probe", "want \"probe\" or \"activator\"");
  const auto hash = head.fields.find("k-network-hash");
  if (!hash || hash->empty())
    return malformed("K-Network-Hash", "a probe needs one, which is echoed");
  proxy::LocalReply reply;
  reply.reason = "probe";
  reply.extra_lines = "K-Network-Hash: " + std::string(*hash) + "\r\n";
  return reply;
}

/// Returns the reply while the activator serves; nullopt if it is no probe.
std::optional<proxy::LocalReply> probe_reply(const http::RequestHead& head) {
  if (head.fields.has(http::FieldId::kInternal)) {
    if (const auto probe = head.fields.find("k-network-probe")) {
      return reply_to_network_probe(head, *probe);
    }
    if (head.fields.find("k-kubelet-probe")) return ok("ok");
  }
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  if (agent && proxy::is_known_probe_agent(*agent)) return ok("ok");
  return std::nullopt;
}

}  // namespace

std::optional<proxy::LocalReply> reply_to_probe(const http::RequestHead& head, bool is_serving,
                                                std::string_view extra_lines) {
  std::optional<proxy::LocalReply> reply = probe_reply(head);
  if (!reply) return std::nullopt;
  if (!is_serving) return draining();
  reply->extra_lines += extra_lines;
  return reply;
}

proxy::LocalReply reply_to_app_probe(const std::optional<Error>& rejection, std::size_t ready) {
  if (rejection) return failed(*rejection);
  return ok(ready > 0 ? "ready" : "asleep");
}

}  // namespace bellows::activator
