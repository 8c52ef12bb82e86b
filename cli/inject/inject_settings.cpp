#include "cli/inject/inject_settings.hpp"

#include <optional>
#include <string_view>

#include "base/version.hpp"
#include "config/websocket_url.hpp"

namespace bellows::cli {

namespace {

using Settings = InjectSettings;
using Schema = config::Schema<InjectSettings>;

std::optional<std::string> read_url(std::string_view text) {
  if (!text.empty() && !config::parse_websocket_url(text)) return std::nullopt;
  return std::string(text);
}

void add_output(Schema& schema) {
  schema.group("Output");
  schema.add(
      &Settings::diff,
      {.name = "diff", .help = "Print the difference to the input instead of the manifests."});
  schema.add(&Settings::dry_run, {.name = "dry-run", .help = "Print the report only."});
}

void add_pods(Schema& schema) {
  schema.group("Pods");
  schema.add(&Settings::image, {.name = "image",
                                .help = "Image of the queue-proxy.",
                                .unset = std::string("bellows/queue-proxy:") + kVersion});
  schema.add(
      &Settings::autoscaler,
      {.name = "autoscaler",
       .format = {.want = "ws://HOST:PORT or ws://HOST:PORT/PATH, or nothing", .read = read_url},
       .help = "WebSocket that receives the stats of the replicas. Set it if the autoscaler "
               "is not in the namespace bellows-system."});
  schema.add(&Settings::port,
             {.name = "port",
              .help = "Name or number of the app's port, for every workload of the input.",
              .unset = "the annotation inject.bellows.dev/port, the Services of the input, or the "
                       "only port"});
  schema.add_choice(
      &Settings::native_sidecar,
      {{"auto", NativeSidecar::kAuto},
       {"true", NativeSidecar::kTrue},
       {"false", NativeSidecar::kFalse}},
      {.name = "native-sidecar",
       .help = "true: an init container that always restarts (Kubernetes 1.29 and later; older "
               "servers drop the field, and their pods would wait for ever). auto: as the version "
               "of the cluster says that --context or --kubeconfig names; false without them."});
  schema.add_choice(&Settings::services,
                    {{"change", ServiceChange::kChange}, {"keep", ServiceChange::kKeep}},
                    {.name = "services",
                     .help = "keep: a Service with a numeric target port is reported instead of "
                             "changed; its requests go around the queue-proxy."});
}

void add_cluster(Schema& schema) {
  schema.group("Cluster");
  schema.add(&Settings::context,
             {.name = "context",
              .help = "Context of the kubeconfig. With it or --kubeconfig the cluster is asked for "
                      "its version; otherwise no cluster is.",
              .unset = "the current context"});
  schema.add(&Settings::kubeconfig, {.name = "kubeconfig",
                                     .help = "FILE with the address and the credentials.",
                                     .unset = "$KUBECONFIG, or ~/.kube/config"});
}

}  // namespace

injector::InjectOptions InjectSettings::options(bool is_native) const {
  injector::InjectOptions options;
  options.image = image.empty() ? std::string("bellows/queue-proxy:") + kVersion : image;
  options.autoscaler = autoscaler;
  options.port = port;
  options.is_native = is_native;
  options.changes_services = services == ServiceChange::kChange;
  return options;
}

const Schema& inject_schema() {
  static const Schema schema = [] {
    Schema made;
    add_pods(made);
    add_cluster(made);
    add_output(made);
    return made;
  }();
  return schema;
}

const Schema& uninject_schema() {
  static const Schema schema = [] {
    Schema made;
    add_output(made);
    return made;
  }();
  return schema;
}

}  // namespace bellows::cli
