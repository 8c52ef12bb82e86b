// Requests that only ask whether somebody is there: answered here, never counted, never waking.
#pragma once

#include <cstddef>
#include <optional>

#include "http/core/head.hpp"
#include "proxy/core/error_response.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {

/// The answer if this is a probe (knative.md 4.1): of a kubelet or another part of Knative (its
/// User-Agent, or K-Kubelet-Probe), or of a network (K-Network-Probe: probe echoes K-Network-Hash,
/// activator says "activator", anything else is malformed). nullopt: a request like any other.
/// `is_serving` false: 503, the activator is leaving.
std::optional<proxy::Answer> answer_to_probe(const http::RequestHead& head, bool is_serving);

/// The answer to a probe that the revision's settings name (probe-user-agents, probe-paths): 200 if
/// a request would be served, now ("ready") or after waking ("asleep"); else what it would be
/// refused with. Nobody is woken to find out.
proxy::Answer answer_for_app(const std::optional<Error>& trouble, std::size_t ready);

}  // namespace bellows::activator
