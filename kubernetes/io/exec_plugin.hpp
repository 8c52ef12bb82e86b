// Runs an exec plugin. Within kubernetes/io.
#pragma once

#include <string>

#include "base/result.hpp"
#include "http/io/net.hpp"
#include "kubernetes/core/kubeconfig.hpp"

namespace bellows::kubernetes {

/// Returns the output of the plugin, which gets `asked` in KUBERNETES_EXEC_INFO. It is killed at
/// `deadline`, after a minute, and when the caller's task is stopped. Errors name the plugin:
/// kNotFound (no such command, with the install hint), kTimeout, kUnavailable (its exit code and
/// its standard error), kTooLarge (64 KB and more).
http::Awaitable<Result<std::string>> run_exec_plugin(ExecPlugin plugin, std::string asked,
                                                     TimePoint deadline);

}  // namespace bellows::kubernetes
