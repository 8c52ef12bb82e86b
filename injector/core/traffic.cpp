#include "injector/core/traffic.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "injector/core/names.hpp"
#include "json/object.hpp"

namespace bellows::injector {

namespace {

std::string port_text(const AppPort& app) {
  return std::to_string(app.number);
}

void note_service(const Service& service, const InjectOptions& options, Plan& plan) {
  const std::string label = label_of(service.resource);
  if (service.is_headless) {
    plan.warnings.push_back(label + " is headless: its callers that use port " +
                            port_text(plan.app) + " bypass the queue-proxy and are not counted");
    return;
  }
  for (const ServicePort& port : service.ports) {
    if (!leads_to(port, plan.app) || !port.target_name.empty()) continue;
    if (!options.changes_services) {
      plan.warnings.push_back(label + ": target port " + std::to_string(port.number) +
                              " bypasses the queue-proxy: it must be " + plan.port_name);
    } else if (plan.app.name.empty()) {
      plan.notes.push_back("pods that run already have no port " + plan.port_name +
                           ": where there are any, apply " + label +
                           " when the rollout of the new ones is complete");
    }
  }
}

bool allows_port(const Node& policy, const AppPort& app) {
  const Node* const ingress = policy.at("spec/ingress");
  if (ingress == nullptr) return false;
  for (const Node& rule : ingress->items) {
    const Node* const ports = rule.find("ports");
    if (ports == nullptr) continue;
    const auto is_it = [&app](const Node& port) {
      const Node* const number = port.find("port");
      return number != nullptr && whole_number(*number, kMaxPort) == app.number;
    };
    if (std::ranges::any_of(ports->items, is_it)) return true;
  }
  return false;
}

std::string annotation_text(const Resource& resource, std::string_view key) {
  const Node* const annotations = resource.root->at("metadata/annotations");
  const Node* const text = annotations == nullptr ? nullptr : annotations->find(key);
  return text == nullptr ? "" : text->text;
}

/// True for what an API server printed.
bool is_of_a_server(const Resource& resource) {
  return !resource.root->text_at("metadata/uid").empty() ||
         !resource.root->text_at("metadata/resourceVersion").empty();
}

/// True if what was applied last has the label, as far as `kubectl apply` wrote that down.
bool was_applied_with_label(const Resource& resource) {
  const auto applied =
      json::parse(annotation_text(resource, "kubectl.kubernetes.io/last-applied-configuration"));
  if (!applied || !applied->has("metadata")) return false;
  const auto metadata = applied->object("metadata");
  if (!metadata || !metadata->has("labels")) return false;
  const auto labels = metadata->object("labels");
  return labels && labels->has(kAutoscaleLabel);
}

}  // namespace

void note_label(const Resource& workload, bool has_revision, Plan& plan) {
  if (has_revision) return;
  const Node* const labels = workload.root->at("metadata/labels");
  const Node* const label = labels == nullptr ? nullptr : labels->find(kAutoscaleLabel);
  const std::string line = std::string(kAutoscaleLabel) + ": \"true\"";
  if (workload.kind != "Deployment") {
    if (label == nullptr) return;
    plan.warnings.push_back("the label " + std::string(kAutoscaleLabel) +
                            " has an effect on Deployments only: write a Revision with this " +
                            workload.kind + " as its scaleTargetRef");
  } else if (label != nullptr && !label->is_text("true") && !label->is_text("false")) {
    plan.warnings.push_back("its label " + std::string(kAutoscaleLabel) + " is \"" + label->text +
                            "\", so it does not scale: want " + line +
                            ", or no such label where a Revision scales it");
  } else if (label == nullptr || label->is_text("false")) {
    plan.notes.push_back("it scales with the label " + line +
                         " or with a Revision: write one of them into its manifest");
  } else if (is_of_a_server(workload) && !was_applied_with_label(workload)) {
    plan.warnings.push_back("its label " + line +
                            " is on the cluster but not in the applied manifest: add it to the "
                            "manifest too, else the next apply removes it and its Revision");
  }
}

void note_traffic(const std::vector<Service>& services,
                  const std::vector<const Resource*>& policies, const InjectOptions& options,
                  Plan& plan) {
  for (const Service& service : services) note_service(service, options, plan);
  if (std::ranges::all_of(services, &Service::is_headless)) {
    plan.notes.push_back(
        "no Service of the input selects its pods: the target port of its Service "
        "must be " +
        plan.port_name + "; a number bypasses the queue-proxy");
  }
  for (const Resource* const policy : policies) {
    if (!allows_port(*policy->root, plan.app)) continue;
    plan.warnings.push_back(label_of(*policy) + " allows port " + port_text(plan.app) +
                            ": add the queue-proxy's, " +
                            std::to_string(plan.settings.serving_port) + ", " +
                            std::to_string(*plan.settings.activator_port) + " and " +
                            std::to_string(plan.settings.admin_port));
  }
}

}  // namespace bellows::injector
