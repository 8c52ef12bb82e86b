// Rights on a Kubernetes cluster, in the terms of RBAC.
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
  std::string name = {};         ///< of the only object; empty: all
  std::string path = {};         ///< of what is no resource: "/openid/v1/jwks"; all else is empty
  bool operator==(const Right&) const = default;
};

/// Returns "watch deployments.apps", "patch deployments.apps/scale", "get /openid/v1/jwks".
std::string to_string(const Right& right);

/// Returns the rights that the autoscaler needs on this server: deploy/rbac.yaml, without rights on
/// what the server does not have. `ns`: that of the activators.
std::vector<Right> autoscaler_rights(const kubernetes::ServerFeatures& features,
                                     const std::string& ns);

/// Returns the rights that it needs in the namespace of its Lease.
std::vector<Right> rights_to_lease(const std::string& lease);

/// Returns the rights that it needs to verify the tokens of pods.
std::vector<Right> rights_to_token_keys();

/// Returns the body of a SelfSubjectAccessReview, or of a SubjectAccessReview if `user` is not
/// empty. `ns` empty: in all namespaces.
std::string access_review(const Right& right, std::string_view ns, std::string_view user);

/// Returns true if the response to such a review allows it.
Result<bool> is_allowed(std::string_view answer);

}  // namespace bellows::cli
