// Settings of the programs that are clients of an API server, and where replicas run.
#pragma once

#include <string>
#include <string_view>

#include "config/field.hpp"
#include "config/schema.hpp"

namespace bellows::config {

/// Which API server, as whom, and what of it. Declared in kubernetes_settings.cpp.
struct KubernetesSettings {
  std::string kubeconfig;  ///< empty: $KUBECONFIG, ~/.kube/config, or the pod's service account
  std::string context;     ///< empty: the current one
  std::string ns;          ///< empty: all namespaces

  bool operator==(const KubernetesSettings&) const = default;
};

const Schema<KubernetesSettings>& kubernetes_schema();

/// The value of `cluster` that means the API server.
inline constexpr std::string_view kKubernetes = "kubernetes";

/// kubernetes, or the Unix socket of `bellows up --autoscaler`.
TextFormat cluster_format();

/// Declares `kubernetes` in the schema of a program with a setting `cluster`: its settings say
/// nothing unless that is kubernetes.
template <class Settings>
void include_kubernetes(Schema<Settings>& schema, KubernetesSettings Settings::*kubernetes) {
  schema.include(kubernetes, kubernetes_schema());
  schema.add_rule({.settings = {"namespace", "context", "kubeconfig"},
                   .holds =
                       [kubernetes](const Settings& settings) {
                         return settings.is_on_kubernetes() ||
                                settings.*kubernetes == KubernetesSettings();
                       },
                   .want = "none of them unless cluster is kubernetes"});
}

}  // namespace bellows::config
