#include "queue-proxy/core/probe_request.hpp"

#include <string>
#include <utility>

namespace bellows::queue_proxy {
namespace {

proxy::LocalReply malformed(std::string header, std::string want) {
  return proxy::local_reply_for(
      Error(ErrorKind::kMalformed, std::move(header), std::move(want), ErrorSide::kDownstream));
}

proxy::LocalReply failed(const std::string& name, const Readiness& readiness) {
  proxy::LocalReply reply =
      proxy::local_reply_for(Error(ErrorKind::kUnavailable, name, readiness.reason()));
  reply.is_probe = true;
  return reply;
}

/// Replies that the address is reachable, independent of the app, until the replica drains.
proxy::LocalReply network_reply(const http::RequestHead& head, const Readiness& readiness,
                                const std::string& name) {
  const auto hash = head.fields.find("k-network-hash");
  if (!hash || hash->empty())
    return malformed("K-Network-Hash", "a probe needs one, which is echoed");
  proxy::LocalReply reply;
  reply.reason = "probe";
  if (readiness.state() == ReadinessState::kDraining) {
    reply = failed(name, readiness);
  }
  reply.extra_lines = "K-Network-Hash: " + std::string(*hash) + "\r\n";
  return reply;
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
  const bool is_probe = (agent && proxy::is_known_probe_agent(*agent)) || rules.matches(head);
  return is_probe ? ProbeRequest::kReadiness : ProbeRequest::kNone;
}

proxy::LocalReply probe_reply(ProbeRequest probe, const http::RequestHead& head,
                              const Readiness& readiness, const std::string& name) {
  if (probe == ProbeRequest::kNetwork) return network_reply(head, readiness, name);
  if (probe == ProbeRequest::kUnknown) {
    return malformed("K-Network-Probe", "unknown; want \"queue\" or \"probe\"");
  }
  if (!readiness.is_ready()) return failed(name, readiness);
  proxy::LocalReply reply;
  reply.reason = "probe";
  reply.body = probe == ProbeRequest::kQueue ? "queue" : "ready";
  return reply;
}

}  // namespace bellows::queue_proxy
