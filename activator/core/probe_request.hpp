// Requests that only ask whether somebody is there: answered here, never counted, never waking.
#pragma once

#include <optional>

#include "http/core/head.hpp"
#include "proxy/core/error_response.hpp"

namespace bellows::activator {

/// The answer if this is a probe (knative.md 4.1): of a kubelet (User-Agent kube-probe/..., or
/// K-Kubelet-Probe), or of a network (K-Network-Probe: probe echoes K-Network-Hash, activator says
/// "activator", anything else is malformed). nullopt: a request like any other.
/// `is_serving` false: 503, the activator is leaving.
std::optional<proxy::Answer> answer_to_probe(const http::RequestHead& head, bool is_serving);

}  // namespace bellows::activator
