#include "config/kubernetes_settings.hpp"

#include <optional>

#include "config/text_formats.hpp"

namespace bellows::config {

TextFormat cluster_format() {
  return {.want = "kubernetes, or unix:/PATH with a path of 1 to 107 bytes",
          .read = [](std::string_view text) {
            return text == kKubernetes ? std::optional<std::string>(text)
                                       : unix_socket_format().read(text);
          }};
}

const Schema<KubernetesSettings>& kubernetes_schema() {
  static const Schema<KubernetesSettings> schema = [] {
    Schema<KubernetesSettings> kubernetes;
    kubernetes.group("Kubernetes");
    kubernetes.add(&KubernetesSettings::ns, {.name = "namespace",
                                             .help = "Looks at revisions of this namespace only.",
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
