// Which requests are probes: they are answered for the app, never passed on and never counted.
#pragma once

#include <cstdint>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::queue_proxy {

/// Knative's probe forms (knative.md 4.1, 5.1).
enum class ProbeRequest : std::uint8_t {
  kNone,     ///< an ordinary request
  kKubelet,  ///< User-Agent kube-probe/..., or K-Kubelet-Probe
  kNetwork,  ///< K-Network-Probe: queue
  kUnknown,  ///< K-Network-Probe with another value
};

ProbeRequest probe_request(const http::RequestHead& head);

}  // namespace bellows::queue_proxy
