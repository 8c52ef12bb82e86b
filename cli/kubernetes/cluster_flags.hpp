// Flags of the commands that query a Bellows on a Kubernetes cluster, and the names there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

struct ClusterFlags {
  std::string kubeconfig;  ///< empty: $KUBECONFIG, then ~/.kube/config
  std::string context;     ///< empty: the current one
  std::string ns;          ///< empty: that of the context
  bool all_namespaces = false;
  std::string autoscaler = "bellows-system/bellows-autoscaler";  ///< NAMESPACE/SERVICE

  bool operator==(const ClusterFlags&) const = default;

  /// Returns true if one of them is set: then the command is about a cluster instead of this
  /// machine.
  bool name_a_cluster() const;
};

const config::Schema<ClusterFlags>& cluster_flags_schema();
/// Returns the flags of a command that concerns a whole cluster: they name no namespace.
const config::Schema<ClusterFlags>& whole_cluster_schema();

/// The parts of "NAMESPACE/NAME".
struct NamespacedName {
  std::string ns;
  std::string name;
  bool operator==(const NamespacedName&) const = default;
};

/// Returns what `word` names in the namespace `ns`: "web", or "shop/web" in any. kInvalidSetting:
/// not a name that Kubernetes allows.
Result<NamespacedName> namespaced_name(std::string_view word, std::string_view ns);

}  // namespace bellows::cli
