#include "cli/kubernetes/cluster_flags.hpp"

#include <algorithm>

namespace bellows::cli {

namespace {

constexpr std::size_t kMaxNamespace = 63;
constexpr std::size_t kMaxName = 253;
constexpr std::string_view kWantName =
    "want NAME or NAMESPACE/NAME: letters a-z, digits, '-' and '.'";

/// Checks for a DNS subdomain (RFC 1123), as far as a path needs it.
bool is_name(std::string_view text, std::size_t max) {
  return !text.empty() && text.size() <= max && text.front() != '-' && text.front() != '.' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string_view::npos;
}

config::TextFormat service_format() {
  return {.want = "NAMESPACE/SERVICE", .read = [](std::string_view text) {
            const auto parts = namespaced_name(text, "");
            const bool is_valid = parts && !parts->ns.empty();
            return is_valid ? std::optional<std::string>(text) : std::nullopt;
          }};
}

void add_kubeconfig(config::Schema<ClusterFlags>& schema) {
  schema.add(&ClusterFlags::kubeconfig, {.name = "kubeconfig",
                                         .help = "FILE with the address and the credentials.",
                                         .unset = "$KUBECONFIG, or ~/.kube/config"});
}

}  // namespace

bool ClusterFlags::name_a_cluster() const {
  return !kubeconfig.empty() || !context.empty() || !ns.empty() || all_namespaces;
}

const config::Schema<ClusterFlags>& cluster_flags_schema() {
  static const config::Schema<ClusterFlags> schema = [] {
    config::Schema<ClusterFlags> made;
    made.group("On a Kubernetes cluster");
    made.add(&ClusterFlags::context,
             {.name = "context",
              .help = "Context of the kubeconfig. This flag, --namespace, --all-namespaces or "
                      "--kubeconfig makes the command query a cluster instead of this machine.",
              .unset = "the current context"});
    made.add(&ClusterFlags::ns, {.name = "namespace",
                                 .aliases = {"n"},
                                 .help = "Namespace of the revisions.",
                                 .unset = "that of the context"});
    made.add(&ClusterFlags::all_namespaces,
             {.name = "all-namespaces", .aliases = {"A"}, .help = "Revisions of every namespace."});
    add_kubeconfig(made);
    made.add(&ClusterFlags::autoscaler,
             {.name = "autoscaler-service",
              .format = service_format(),
              .help = "Service of the autoscaler. Its pages are read through the API server, so "
                      "that nothing needs to be exposed."});
    return made;
  }();
  return schema;
}

const config::Schema<ClusterFlags>& whole_cluster_schema() {
  static const config::Schema<ClusterFlags> schema = [] {
    config::Schema<ClusterFlags> made;
    made.group("The cluster");
    made.add(
        &ClusterFlags::context,
        {.name = "context", .help = "Context of the kubeconfig.", .unset = "the current context"});
    add_kubeconfig(made);
    return made;
  }();
  return schema;
}

Result<NamespacedName> namespaced_name(std::string_view word, std::string_view ns) {
  const std::size_t slash = word.find('/');
  const bool has_namespace = slash != std::string_view::npos;
  NamespacedName parts{std::string(has_namespace ? word.substr(0, slash) : ns),
                       std::string(has_namespace ? word.substr(slash + 1) : word)};
  const bool is_valid =
      is_name(parts.name, kMaxName) && (!has_namespace || is_name(parts.ns, kMaxNamespace));
  if (!is_valid) {
    return fail(ErrorKind::kInvalidSetting, "\"" + std::string(word) + "\"",
                std::string(kWantName));
  }
  return parts;
}

}  // namespace bellows::cli
