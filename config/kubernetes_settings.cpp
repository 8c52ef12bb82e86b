#include "config/kubernetes_settings.hpp"

namespace bellows::config {

const Schema<KubernetesSettings>& kubernetes_schema() {
  static const Schema<KubernetesSettings> schema = [] {
    Schema<KubernetesSettings> kubernetes;
    kubernetes.group("Kubernetes");
    kubernetes.add(&KubernetesSettings::ns, {.name = "namespace",
                                             .help = "Use only revisions of this namespace.",
                                             .unset = "all namespaces"});
    kubernetes.add(&KubernetesSettings::kubeconfig,
                   {.name = "kubeconfig",
                    .help = "FILE with the address of the API server and the credentials.",
                    .unset = "$KUBECONFIG, ~/.kube/config, or in a pod its service account"});
    kubernetes.add(
        &KubernetesSettings::context,
        {.name = "context", .help = "Context of the kubeconfig.", .unset = "the current context"});
    return kubernetes;
  }();
  return schema;
}

}  // namespace bellows::config
