#include "injector/core/evidence.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace bellows::injector {

namespace {

/// A port of a Service that leads to the port in question.
struct Lead {
  const Service* service = nullptr;
  const ServicePort* port = nullptr;
};

std::vector<Lead> leads_of(const AppPort& app, const std::vector<Service>& services) {
  std::vector<Lead> leads;
  for (const Service& service : services) {
    for (const ServicePort& port : service.ports) {
      if (leads_to(port, app)) leads.push_back({&service, &port});
    }
  }
  return leads;
}

std::string of_service(std::string what, const Lead& lead) {
  return std::move(what) + " of " + label_of(lead.service->resource);
}

/// What words that were found one after the other say together. The order of `kinds` decides.
std::optional<Evidence> first_of(const std::vector<Evidence>& found,
                                 std::initializer_list<Protocol> kinds) {
  for (const Protocol kind : kinds) {
    const auto one = std::ranges::find(found, kind, &Evidence::protocol);
    if (one != found.end()) return *one;
  }
  return std::nullopt;
}

std::vector<Evidence> app_protocols(const std::vector<Lead>& leads) {
  std::vector<Evidence> found;
  for (const Lead& lead : leads) {
    const std::string& word = lead.port->app_protocol;
    if (word.empty()) continue;
    found.push_back({.protocol = protocol_of_app(word),
                     .source = of_service("appProtocol " + word, lead),
                     .is_said = true});
  }
  return found;
}

std::vector<Evidence> service_names(const std::vector<Lead>& leads) {
  std::vector<Evidence> found;
  for (const Lead& lead : leads) {
    found.push_back({.protocol = protocol_of_name(lead.port->name),
                     .source = of_service("port name " + lead.port->name, lead),
                     .is_said = true});
  }
  return found;
}

/// By the name of a Service's port that says that TLS reaches the pod. "https" is that of callers,
/// whose TLS may end at a load balancer.
std::optional<Evidence> named_as_tls(const std::vector<Lead>& leads) {
  std::vector<Lead> others;
  std::ranges::copy_if(leads, std::back_inserter(others),
                       [](const Lead& lead) { return !is_scheme_name(lead.port->name); });
  return first_of(service_names(others), {Protocol::kTls});
}

/// By a probe of the kubelet, which does what callers do.
std::optional<Evidence> probed(const AppPort& app, const Node& container) {
  for (const std::string probe : {"readinessProbe", "livenessProbe", "startupProbe"}) {
    for (const std::string action : {"httpGet", "grpc"}) {
      const std::string port = container.text_at(probe + "/" + action + "/port");
      const bool is_it = port == std::to_string(app.number) || (!port.empty() && port == app.name);
      if (!is_it) continue;
      const bool is_tls = container.text_at(probe + "/httpGet/scheme") == "HTTPS";
      const Protocol plain = action == "grpc" ? Protocol::kHttp2 : Protocol::kHttp;
      return Evidence{.protocol = is_tls ? Protocol::kTls : plain,
                      .source = probe + "." + action,
                      .is_probe = true};
    }
  }
  return std::nullopt;
}

std::vector<Evidence> numbers(const AppPort& app, const std::vector<Lead>& leads) {
  std::vector<Evidence> found = {
      {.protocol = protocol_of_number(app.number), .source = "its number"}};
  for (const Lead& lead : leads) {
    const std::string number = std::to_string(lead.port->port);
    found.push_back({.protocol = protocol_of_number(lead.port->port),
                     .source = of_service("port " + number, lead)});
  }
  return found;
}

}  // namespace

Evidence evidence_of(const AppPort& port, const Node& pod_spec,
                     const std::vector<Service>& services) {
  using enum Protocol;
  const std::vector<Lead> leads = leads_of(port, services);
  if (const auto said = first_of(app_protocols(leads), {kOther, kTls, kHttp2, kHttp})) return *said;
  const Evidence own{
      .protocol = protocol_of_name(port.name), .source = "port name " + port.name, .is_said = true};
  const std::vector<Evidence> names = service_names(leads);
  if (own.protocol == kOther) return own;
  if (const auto other = first_of(names, {kOther})) return *other;
  if (const auto tls = named_as_tls(leads)) return *tls;
  const Node& container = pod_spec.find("containers")->items[port.container];
  const auto probe = probed(port, container);
  if (probe && probe->protocol == kTls) return *probe;  // a name such as web is that of TLS too
  if (own.protocol != kUnknown) return own;
  if (const auto http = first_of(names, {kHttp2, kHttp})) return *http;
  if (probe) return *probe;
  if (const auto tls = first_of(names, {kTls})) return *tls;
  for (const Evidence& number : numbers(port, leads)) {
    if (number.protocol != kUnknown) return number;
  }
  const std::string image = container.text_at("image");
  const Protocol by_image = protocol_of_image(image);
  if (by_image != kUnknown) return {.protocol = by_image, .source = "image " + image};
  return {};
}

bool is_for_management(const AppPort& port, const std::vector<Service>& services) {
  if (is_management_name(port.name)) return true;
  if (protocol_of_name(port.name) != Protocol::kUnknown) return false;
  const std::vector<Lead> leads = leads_of(port, services);
  const auto is_so = [](const Lead& lead) { return is_management_name(lead.port->name); };
  return !leads.empty() && std::ranges::all_of(leads, is_so);
}

}  // namespace bellows::injector
