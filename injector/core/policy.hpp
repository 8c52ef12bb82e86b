// Injection by the API server itself: a MutatingAdmissionPolicy (admissionregistration.k8s.io/v1,
// Kubernetes 1.36), whose rules are in CEL.
#pragma once

#include <string>

#include "base/result.hpp"
#include "injector/core/plan.hpp"

namespace bellows::injector {

/// Returns the policy and its two bindings (labelled pods, and the pods of labelled namespaces) as
/// documents of YAML. To the pods that fulfil its conditions the policy does what admit() does with
/// native sidecars; other pods it leaves unchanged, so the webhook may have them. docs/inject.md
/// lists the conditions. Errors are those of `options`, whose `is_native` is true.
Result<std::string> policy_text(const InjectOptions& options);

}  // namespace bellows::injector
