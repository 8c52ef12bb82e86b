// Injection by the API server itself: a MutatingAdmissionPolicy (admissionregistration.k8s.io/v1,
// Kubernetes 1.36), whose rules are in CEL.
#pragma once

#include <string>

#include "base/result.hpp"
#include "injector/core/plan.hpp"

namespace bellows::injector {

/// Returns the policy and its two bindings (labelled pods, and the pods of labelled namespaces) as
/// documents of YAML. The policy does to a pod what admit() does, except for the record, for pods
/// that need no more than CEL can do: one declared port, which speaks HTTP by its name, number or a
/// probe; a readiness probe by TCP or plain HTTP at that port, or none; no lifecycle of the app; no
/// annotations about settings. It leaves other pods unchanged, so the webhook may have them. Errors
/// are those of settings in `options`.
Result<std::string> policy_text(const InjectOptions& options);

}  // namespace bellows::injector
