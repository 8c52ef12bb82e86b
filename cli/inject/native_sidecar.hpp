// Whether a cluster has native sidecars: init containers that always restart.
#pragma once

#include "base/result.hpp"
#include "cli/inject/inject_settings.hpp"

namespace bellows::cli {

/// As --native-sidecar says; auto: as the version of the server that --kubeconfig or --context
/// names says, false without them. Asks the server at most once, and waits.
Result<bool> wants_native_sidecar(const InjectSettings& settings);

}  // namespace bellows::cli
