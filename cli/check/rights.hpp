// Rights on a Kubernetes cluster, as RBAC has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/server_features.hpp"

namespace bellows::cli {

struct Right {
  std::string verb;
  std::string group;
  std::string resource;
  std::string subresource = {};  ///< empty: the object itself
  bool operator==(const Right&) const = default;
};

/// "watch deployments.apps", "patch deployments.apps/scale".
std::string to_string(const Right& right);

/// What the autoscaler needs on this server: deploy/rbac.yaml, without rights on what the server
/// does not have.
std::vector<Right> autoscaler_rights(const kubernetes::ServerFeatures& features);

/// The body of a SelfSubjectAccessReview, or of a SubjectAccessReview if `user` is not empty. `ns`
/// empty: in all namespaces.
std::string access_review(const Right& right, std::string_view ns, std::string_view user);

/// Whether the answer to such a review allows it.
Result<bool> is_allowed(std::string_view answer);

}  // namespace bellows::cli
