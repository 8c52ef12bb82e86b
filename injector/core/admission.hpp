// Answers the question of an API server: how should this pod be made? The reader and the writer of
// AdmissionReview (admission.k8s.io/v1), and between them the injection of manifests. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "injector/core/plan.hpp"
#include "injector/core/report.hpp"

namespace bellows::injector {

/// A question about an object that is being made.
struct AdmissionRequest {
  std::string uid;
  std::string name_space;
  std::string pod;  ///< as JSON; empty: the question is about something else
};

/// Reads an AdmissionReview. kMalformed: another version, no request, no uid, no object.
Result<AdmissionRequest> read_review(std::string_view body);

/// The answer. A pod is always admitted: without a queue-proxy it serves its requests unscaled,
/// refused it would serve none.
struct Admission {
  Outcome outcome = Outcome::kSkipped;
  std::string workload;               ///< what makes the pod, or its own name
  std::string what;                   ///< one line
  std::string patch;                  ///< a JSON patch; empty: the pod stays as it is
  std::vector<std::string> warnings;  ///< for the client that makes the pod
};

/// Injects the pod as inject() does, without a record, with settings from its annotations. Its
/// owner gives its label the name of the workload. A pod that has a queue-proxy already stays as it
/// is.
Admission admit(const AdmissionRequest& request, InjectOptions options);

/// Returns the AdmissionReview with this answer.
std::string review_text(const std::string& uid, const Admission& admission);

}  // namespace bellows::injector
