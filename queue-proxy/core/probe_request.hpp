// Which requests are probes: they are answered for the app, never passed on and never counted.
#pragma once

#include <cstdint>

#include "http/core/head.hpp"
#include "proxy/core/error_response.hpp"
#include "proxy/core/probe_rules.hpp"
#include "queue-proxy/core/readiness.hpp"

namespace bellows::queue_proxy {

/// Knative's probe forms (knative.md 4.1, 5.1), and those that settings name.
enum class ProbeRequest : std::uint8_t {
  kNone,       ///< an ordinary request
  kReadiness,  ///< of a kubelet, an activator or an autoscaler (User-Agent, K-Kubelet-Probe), or as
               ///< settings say: is the app ready?
  kQueue,      ///< K-Network-Probe: queue: the same, answered with "queue"
  kNetwork,    ///< K-Network-Probe: probe: is this address reached? Echoes K-Network-Hash
  kUnknown,    ///< K-Network-Probe with another value
};

ProbeRequest probe_request(const http::RequestHead& head, const proxy::ProbeRules& rules);

/// 200 or 503 as the replica is ready; 400 for a K-Network-Probe that it does not understand, or
/// that has no hash to echo. `name`: culprit of the errors.
proxy::Answer probe_answer(ProbeRequest probe, const http::RequestHead& head,
                           const Readiness& readiness, const std::string& name);

}  // namespace bellows::queue_proxy
