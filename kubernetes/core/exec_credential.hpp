// ExecCredential: the input and output of an exec plugin. Source: Kubernetes, "Authenticating",
// client-go credential plugins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/kubeconfig.hpp"

namespace bellows::kubernetes {

/// Returns the value of the environment variable KUBERNETES_EXEC_INFO. `ca_data` is the PEM of the
/// cluster's authority; it is used only if the plugin requests the cluster.
std::string exec_credential_request(const ExecPlugin& plugin, const KubeconfigCluster& cluster,
                                    std::string_view ca_data);

struct ExecCredential {
  std::string token;               ///< empty: certificates are used
  std::string client_certificate;  ///< PEM
  std::string client_key;          ///< PEM
  std::optional<WallTime> expires;
};

/// Parses the output of the plugin. kMalformed: it is no ExecCredential of the plugin's version, or
/// it has neither a token nor both parts of a certificate. Messages never contain values.
Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view output);

}  // namespace bellows::kubernetes
