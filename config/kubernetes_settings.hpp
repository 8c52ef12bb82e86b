// Settings of the programs that are clients of an API server.
#pragma once

#include <string>

namespace bellows::config {

/// The API server, the credentials and the namespace.
struct KubernetesSettings {
  std::string kubeconfig;  ///< empty: $KUBECONFIG, ~/.kube/config, or the pod's service account
  std::string context;     ///< empty: the current one
  std::string ns;          ///< empty: all namespaces

  bool operator==(const KubernetesSettings&) const = default;
};

}  // namespace bellows::config
