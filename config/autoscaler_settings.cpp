#include "config/autoscaler_settings.hpp"

#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

TextFormat cluster_format() {
  return {.want = "kubernetes, or unix:/PATH with a path of 1 to 107 bytes",
          .read = [](std::string_view text) {
            return text == "kubernetes" ? std::optional<std::string>(text)
                                        : unix_socket_format().read(text);
          }};
}

const Schema<KubernetesSettings>& kubernetes_schema() {
  static const Schema<KubernetesSettings> schema = [] {
    Schema<KubernetesSettings> kubernetes;
    kubernetes.group("Kubernetes");
    kubernetes.add(&KubernetesSettings::ns, {.name = "namespace",
                                             .help = "Scales the revisions of this namespace only.",
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

}  // namespace

const Schema<AutoscalerSettings>& autoscaler_schema() {
  using namespace std::chrono_literals;
  using Settings = AutoscalerSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> autoscaler;
    autoscaler.group("Addresses");
    autoscaler.add(&Settings::listen,
                   {.name = "listen",
                    .help = "Address for stats (/v1/stats), /metrics, /healthz and /readyz."});
    autoscaler.add(&Settings::cluster,
                   {.name = "cluster",
                    .format = cluster_format(),
                    .required = true,
                    .help = "Where the replicas run: kubernetes, or the Unix socket offered by "
                            "`bellows up --autoscaler`."});
    autoscaler.include(&Settings::kubernetes, kubernetes_schema());
    autoscaler.add_rule({.settings = {"namespace", "context", "kubeconfig"},
                         .holds =
                             [](const Settings& settings) {
                               return settings.is_on_kubernetes() ||
                                      settings.kubernetes == KubernetesSettings();
                             },
                         .want = "none of them unless cluster is kubernetes"});
    autoscaler.group("State");
    autoscaler.add(&Settings::state_file,
                   {.name = "state-file",
                    .help = "File that keeps panic and delay state across restarts.",
                    .unset = "state is lost at a restart"});
    autoscaler.add(&Settings::dead_source_after,
                   {.name = "dead-source-after",
                    .bounds = between(2s, 1h),
                    .help = "A replica or activator without stats for this long counts as gone. "
                            "Until then its seconds are unknown."});
    autoscaler.include(&Settings::log, log_schema());
    return autoscaler;
  }();
  return schema;
}

}  // namespace bellows::config
