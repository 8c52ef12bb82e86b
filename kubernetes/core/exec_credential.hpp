// ExecCredential: what we tell an exec plugin, and what it answers.
// Source: Kubernetes, "Authenticating", client-go credential plugins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/kubeconfig.hpp"

namespace bellows::kubernetes {

/// The value of the environment variable KUBERNETES_EXEC_INFO. `ca_data` is the PEM of the
/// cluster's authority; used only if the plugin wants the cluster.
std::string exec_credential_request(const ExecPlugin& plugin, const KubeconfigCluster& cluster,
                                    std::string_view ca_data);

struct ExecCredential {
  std::string token;               ///< empty: certificates
  std::string client_certificate;  ///< PEM
  std::string client_key;          ///< PEM
  std::optional<WallTime> expires;
};

/// Reads what the plugin printed. kMalformed: no ExecCredential of the plugin's version, or it has
/// neither a token nor both parts of a certificate. Values are never part of a message.
Result<ExecCredential> parse_exec_credential(const ExecPlugin& plugin, std::string_view output);

}  // namespace bellows::kubernetes
