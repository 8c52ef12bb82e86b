#include "activator/core/probe_request.hpp"

#include <string>
#include <string_view>

namespace bellows::activator {
namespace {

proxy::Answer leaving() {
  return proxy::answer_for(Error(ErrorKind::kUnavailable, "activator", "is leaving"));
}

proxy::Answer malformed(std::string_view header, std::string_view want) {
  return proxy::answer_for(
      Error(ErrorKind::kMalformed, std::string(header), std::string(want), ErrorSide::kDownstream));
}

proxy::Answer ok(std::string_view body) {
  proxy::Answer answer;
  answer.body = body;
  answer.reason = "probe";
  return answer;
}

proxy::Answer answer_to_network_probe(const http::RequestHead& head, std::string_view probe) {
  if (probe == "activator") return ok("activator");
  if (probe != "probe") return malformed("K-Network-Probe", "want \"probe\" or \"activator\"");
  const auto hash = head.fields.find("k-network-hash");
  if (!hash || hash->empty()) return malformed("K-Network-Hash", "a probe needs one to be echoed");
  proxy::Answer answer;
  answer.reason = "probe";
  answer.extra_lines = "K-Network-Hash: " + std::string(*hash) + "\r\n";
  return answer;
}

}  // namespace

std::optional<proxy::Answer> answer_to_probe(const http::RequestHead& head, bool is_serving) {
  if (head.fields.has(http::FieldId::kInternal)) {
    if (const auto probe = head.fields.find("k-network-probe")) {
      return is_serving ? answer_to_network_probe(head, *probe) : leaving();
    }
    if (head.fields.find("k-kubelet-probe")) return is_serving ? ok("ok") : leaving();
  }
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  if (!agent || !proxy::is_known_probe_agent(*agent)) return std::nullopt;
  return is_serving ? ok("ok") : leaving();
}

proxy::Answer answer_for_app(const std::optional<Error>& trouble, std::size_t ready) {
  if (trouble) return proxy::answer_for(*trouble);
  return ok(ready > 0 ? "ready" : "asleep");
}

}  // namespace bellows::activator
