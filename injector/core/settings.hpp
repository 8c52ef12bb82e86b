// Settings of the queue-proxy from the annotations of its workload.
#pragma once

#include "base/result.hpp"
#include "config/queue_proxy_settings.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

/// Applies annotations about limits, queue and windows: bellows.dev/NAME and Knative's, on the
/// workload or its pods (the workload's take precedence). An error names the annotation.
Result<void> read_settings(const Resource& workload, config::QueueProxySettings& settings);

/// Returns a line about each annotation of the workload or its pods that has the prefix of settings
/// and is none, with the name that is meant perhaps, and about a wrong value of bellows.dev/inject.
std::vector<std::string> wrong_annotations(const Resource& workload);

}  // namespace bellows::injector
