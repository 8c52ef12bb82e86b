// The credentials of a pod's service account. Within kubernetes/io.
#pragma once

#include <memory>

#include "base/result.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

/// Returns true if the environment is that of a pod.
bool is_in_pod(const CredentialsOptions& options);

Result<std::shared_ptr<Credentials>> load_pod_credentials(const CredentialsOptions& options);

}  // namespace bellows::kubernetes
