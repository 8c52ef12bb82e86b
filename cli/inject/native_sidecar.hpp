// Detects native sidecars of a cluster: init containers that always restart.
#pragma once

#include "base/result.hpp"
#include "cli/inject/inject_settings.hpp"

namespace bellows::cli {

/// Returns the value of --native-sidecar; auto: by the version of the server that --kubeconfig or
/// --context names, false without them. Asks the server at most once, and waits.
Result<bool> wants_native_sidecar(const InjectSettings& settings);

}  // namespace bellows::cli
