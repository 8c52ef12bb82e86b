#include "injector/core/sidecar.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/quantity_text.hpp"
#include "config/queue_proxy_settings.hpp"
#include "injector/core/names.hpp"
#include "injector/core/render.hpp"

namespace bellows::injector {

namespace {

constexpr std::int64_t kUser = 65532;  // "nonroot" of distroless images
/// Of a token: the kubelet renews it when 80 % have passed.
constexpr std::int64_t kTokenSeconds = 3600;

Node hook_to(std::string_view path, std::uint16_t port) {
  return map_node(
      {{"httpGet", map_node({{"path", text_node(path)}, {"port", number_node(port)}})}});
}

Node named_port(std::string_view name, std::uint16_t port) {
  return map_node({{"name", text_node(name)}, {"containerPort", number_node(port)}});
}

Node from_field(std::string_view name, std::string_view path) {
  return map_node(
      {{"name", text_node(name)},
       {"valueFrom", map_node({{"fieldRef", map_node({{"fieldPath", text_node(path)}})}})}});
}

/// Every setting that is not the default, as a flag: a variable could be one that Kubernetes sets
/// beside a Service of that name.
Node arguments(const config::QueueProxySettings& settings) {
  std::vector<Node> flags;
  for (const auto& [name, text] : config::queue_proxy_schema().texts(settings)) {
    flags.push_back(text_node("--" + name + "=" + text));
  }
  return list_node(std::move(flags));
}

Node amounts_node(const Amounts& amounts) {
  std::vector<std::pair<std::string, Node>> entries;
  if (amounts.cpu) entries.emplace_back("cpu", text_node(to_string(*amounts.cpu)));
  if (amounts.memory) entries.emplace_back("memory", text_node(to_string(*amounts.memory)));
  return map_node(std::move(entries));
}

Node security_context() {
  return map_node({{"runAsNonRoot", flag_node(true)},
                   {"runAsUser", number_node(kUser)},
                   {"allowPrivilegeEscalation", flag_node(false)},
                   {"readOnlyRootFilesystem", flag_node(true)},
                   {"capabilities", map_node({{"drop", list_node({text_node("ALL")})}})},
                   {"seccompProfile", map_node({{"type", text_node("RuntimeDefault")}})}});
}

}  // namespace

Node sidecar_container(const Plan& plan, const InjectOptions& options) {
  const config::QueueProxySettings& settings = plan.settings;
  std::vector<std::pair<std::string, Node>> entries = {{"name", text_node(kContainerName)},
                                                       {"image", text_node(options.image)}};
  // Without a startup probe: it would hold back the app until the app answers.
  if (options.is_native) entries.emplace_back("restartPolicy", text_node("Always"));
  entries.emplace_back("args", arguments(settings));
  entries.emplace_back("env", list_node({from_field("SERVING_NAMESPACE", "metadata.namespace"),
                                         from_field("SERVING_POD", "metadata.name")}));
  entries.emplace_back("ports", list_node({named_port(plan.port_name, settings.serving_port),
                                           named_port(kActivatorPortName, *settings.activator_port),
                                           named_port(kAdminPortName, settings.admin_port)}));
  if (!settings.stats_token_file.empty()) {
    entries.emplace_back("volumeMounts",
                         list_node({map_node({{"name", text_node(kTokenVolume)},
                                              {"mountPath", text_node(kTokenFolder)},
                                              {"readOnly", flag_node(true)}})}));
  }
  // The queue-proxy probes the app every few milliseconds; the kubelet asks for the result.
  entries.emplace_back(
      "readinessProbe",
      map_node({{"httpGet", map_node({{"path", text_node("/readyz")},
                                      {"port", number_node(settings.admin_port)}})},
                {"periodSeconds", number_node(1)}}));
  if (options.is_native) {
    entries.emplace_back("lifecycle",
                         map_node({{"preStop", hook_to("/drain/pod", *settings.drain_port)}}));
  }
  entries.emplace_back("resources", map_node({{"requests", amounts_node(plan.resources.requests)},
                                              {"limits", amounts_node(plan.resources.limits)}}));
  entries.emplace_back("securityContext", security_context());
  return map_node(std::move(entries));
}

Node token_volume() {
  const Node token =
      map_node({{"serviceAccountToken", map_node({{"audience", text_node(config::kStatsAudience)},
                                                  {"expirationSeconds", number_node(kTokenSeconds)},
                                                  {"path", text_node(kTokenFile)}})}});
  return map_node({{"name", text_node(kTokenVolume)},
                   {"projected", map_node({{"sources", list_node({token})}})}});
}

Node drain_hook(const Plan& plan) {
  return hook_to("/drain", *plan.settings.drain_port);
}

std::string sidecar_hash(const Node& container) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : json_text(container)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash /= 16) {
    *digit = kDigits[hash % 16];
  }
  return text;
}

}  // namespace bellows::injector
