#include "injector/core/service.hpp"

#include <utility>

namespace bellows::injector {

namespace {

std::optional<ServicePort> read_port(const Node& node, std::size_t index) {
  const std::string transport = node.text_at("protocol");
  if (!transport.empty() && transport != "TCP") return std::nullopt;
  const Node* const port = node.find("port");
  const auto number = port == nullptr ? std::nullopt : whole_number(*port, kMaxPort);
  if (!number) return std::nullopt;
  ServicePort read{.index = index,
                   .port = *number,
                   .name = node.text_at("name"),
                   .app_protocol = node.text_at("appProtocol")};
  read.number = *number;
  const Node* const target = node.find("targetPort");
  read.has_target = target != nullptr && target->is_scalar();
  if (!read.has_target) return read;
  const auto target_number = whole_number(*target, kMaxPort);
  if (target_number) read.number = *target_number;
  if (!target_number) read.target_name = target->text;
  return read;
}

}  // namespace

std::optional<Service> read_service(const Resource& resource) {
  if (resource.kind != "Service" || resource.api_version != "v1") return std::nullopt;
  Service service{.resource = resource, .selector = resource.root->at("spec/selector")};
  if (service.selector == nullptr || !service.selector->is_map()) return std::nullopt;
  if (resource.root->text_at("spec/type") == "ExternalName") return std::nullopt;  // a name alone
  service.is_headless = resource.root->text_at("spec/clusterIP") == "None";
  const Node* const ports = resource.root->at("spec/ports");
  for (std::size_t i = 0; ports != nullptr && i < ports->items.size(); ++i) {
    if (auto port = read_port(ports->items[i], i)) service.ports.push_back(std::move(*port));
  }
  return service;
}

bool selects_pods_of(const Service& service, const Resource& workload) {
  const Node* const pod = pod_of(workload);
  return pod != nullptr && service.resource.name_space == workload.name_space &&
         selects(*service.selector, pod->at("metadata/labels"));
}

}  // namespace bellows::injector
