// SERVING_READINESS_PROBE: how Kubernetes writes a probe down, and what we take from it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bellows::config {

/// The HTTP path to ask for; an empty text for a TCP connect; nothing if `text` is neither. Takes a
/// bare path, nothing at all, or the JSON of a Kubernetes probe with `httpGet` or `tcpSocket`. Host
/// and port are always those of the app, and its times are not taken over: Bellows probes at its
/// own pace. `exec` and `grpc` probes are refused.
std::optional<std::string> read_readiness_probe(std::string_view text);

}  // namespace bellows::config
