#include "queue-proxy/core/probe_request.hpp"

#include <string>
#include <utility>

namespace bellows::queue_proxy {
namespace {

proxy::Answer malformed(std::string header, std::string want) {
  return proxy::answer_for(
      Error(ErrorKind::kMalformed, std::move(header), std::move(want), ErrorSide::kDownstream));
}

/// Whether the network leads here: true until the replica leaves, whatever its app does.
proxy::Answer network_answer(const http::RequestHead& head, const Readiness& readiness,
                             const std::string& name) {
  const auto hash = head.fields.find("k-network-hash");
  if (!hash || hash->empty()) return malformed("K-Network-Hash", "a probe needs one to be echoed");
  proxy::Answer answer;
  answer.reason = "probe";
  if (readiness.state() == ReadinessState::kDraining) {
    answer = proxy::answer_for(Error(ErrorKind::kUnavailable, name, readiness.reason()));
  }
  answer.extra_lines = "K-Network-Hash: " + std::string(*hash) + "\r\n";
  return answer;
}

}  // namespace

ProbeRequest probe_request(const http::RequestHead& head, const proxy::ProbeRules& rules) {
  if (head.fields.has(http::FieldId::kInternal)) {
    if (const auto value = head.fields.find("k-network-probe")) {
      if (*value == "queue") return ProbeRequest::kQueue;
      return *value == "probe" ? ProbeRequest::kNetwork : ProbeRequest::kUnknown;
    }
    if (head.fields.find("k-kubelet-probe")) return ProbeRequest::kReadiness;
  }
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  const bool asks = (agent && proxy::is_known_probe_agent(*agent)) || rules.matches(head);
  return asks ? ProbeRequest::kReadiness : ProbeRequest::kNone;
}

proxy::Answer probe_answer(ProbeRequest probe, const http::RequestHead& head,
                           const Readiness& readiness, const std::string& name) {
  if (probe == ProbeRequest::kNetwork) return network_answer(head, readiness, name);
  if (probe == ProbeRequest::kUnknown) {
    return malformed("K-Network-Probe", "not a probe for here; want \"queue\" or \"probe\"");
  }
  if (!readiness.is_ready()) {
    return proxy::answer_for(Error(ErrorKind::kUnavailable, name, readiness.reason()));
  }
  proxy::Answer answer;
  answer.reason = "probe";
  answer.body = probe == ProbeRequest::kQueue ? "queue" : "ready";
  return answer;
}

}  // namespace bellows::queue_proxy
