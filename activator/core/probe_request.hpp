// Probes: requests that the activator answers itself. They do not count as load and trigger no
// scale-up.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {

/// Returns the reply to a probe (knative.md 4.1): of a kubelet or another part of Knative (its
/// User-Agent, or K-Kubelet-Probe), or of a network (K-Network-Probe: "probe" echoes
/// K-Network-Hash, "activator" returns "activator", anything else is malformed). Returns nullopt
/// for other requests. Without `is_serving` the reply is 503, because the activator is draining.
/// `extra_lines` are header lines of the reply while it serves.
std::optional<proxy::LocalReply> reply_to_probe(const http::RequestHead& head, bool is_serving,
                                                std::string_view extra_lines = {});

/// Returns the reply to a probe that the revision's settings name (probe-user-agents, probe-paths):
/// 200 if a request would be served, now ("ready") or after a cold start ("asleep"); else the reply
/// with which it would be rejected. The probe itself triggers no scale-up.
proxy::LocalReply reply_to_app_probe(const std::optional<Error>& rejection, std::size_t ready);

}  // namespace bellows::activator
