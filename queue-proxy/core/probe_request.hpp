// Recognizes probes, to which the queue-proxy replies for the app. It never forwards or counts
// them.
#pragma once

#include <cstdint>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"
#include "proxy/core/probe_rules.hpp"
#include "queue-proxy/core/readiness.hpp"

namespace bellows::queue_proxy {

/// Kinds of Knative's probes (knative.md 4.1, 5.1), and probes named in the settings.
enum class ProbeRequest : std::uint8_t {
  kNone,       ///< an ordinary request
  kReadiness,  ///< of a kubelet, an activator or an autoscaler (User-Agent, K-Kubelet-Probe), or
               ///< named by settings: is the app ready?
  kQueue,      ///< K-Network-Probe: queue: the same; the reply is "queue"
  kNetwork,    ///< K-Network-Probe: probe: is this address reachable? Echoes K-Network-Hash
  kUnknown,    ///< K-Network-Probe with another value
};

ProbeRequest probe_request(const http::RequestHead& head, const proxy::ProbeRules& rules);

/// Returns 200 if the replica is ready, else 503; 400 for an unknown K-Network-Probe, or one
/// without a hash to echo. `name` is the culprit of the errors.
proxy::LocalReply probe_reply(ProbeRequest probe, const http::RequestHead& head,
                              const Readiness& readiness, const std::string& name);

}  // namespace bellows::queue_proxy
