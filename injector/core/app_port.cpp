#include "injector/core/app_port.hpp"

#include <algorithm>
#include <charconv>

#include "injector/core/names.hpp"

namespace bellows::injector {

namespace {

Error unclear(std::string what) {
  return {ErrorKind::kUnsupported, "port", std::move(what)};
}

std::string text_of(const AppPort& port) {
  const std::string number = std::to_string(port.number);
  return port.name.empty() ? number : number + " (" + port.name + ")";
}

std::string list_of(const std::vector<AppPort>& ports) {
  std::string text;
  for (const AppPort& port : ports) text += (text.empty() ? "" : ", ") + text_of(port);
  return text;
}

std::string wish_hint() {
  return "say which with the annotation " + std::string(kPortAnnotation);
}

/// The container that takes a port that none declares: the only one, or kubectl's default.
std::optional<std::size_t> default_container(const Node& containers) {
  if (containers.items.size() == 1) return 0;
  return std::nullopt;
}

Result<AppPort> undeclared_port(const Node& pod_spec, std::int64_t number) {
  const auto container = default_container(*pod_spec.find("containers"));
  if (!container) {
    return fail(unclear("no container declares port " + std::to_string(number) +
                        ", and there are several: add it to the ports of the app's container"));
  }
  return AppPort{.container = *container,
                 .index = {},
                 .number = static_cast<std::uint16_t>(number),
                 .name = {}};
}

Result<AppPort> wished_port(const Node& pod_spec, const std::vector<AppPort>& declared,
                            const std::string& wish) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(wish.data(), wish.data() + wish.size(), number);
  const bool is_number = error == std::errc() && end == wish.data() + wish.size();
  const auto found = std::ranges::find_if(declared, [&](const AppPort& port) {
    return is_number ? port.number == number : port.name == wish;
  });
  if (found != declared.end()) return *found;
  if (is_number && number > 0 && number <= kMaxPort) return undeclared_port(pod_spec, number);
  return fail(unclear("\"" + wish + "\" is no port of a container: want one of " +
                      (declared.empty() ? "1 to 65535" : list_of(declared))));
}

struct Target {
  AppPort app;
  bool says_http = false;
};

Result<AppPort> target_of(const Node& pod_spec, const std::vector<AppPort>& declared,
                          const Service& service, const ServicePort& port) {
  const auto leads = [&port](const AppPort& app) { return leads_to(port, app); };
  const auto found = std::ranges::find_if(declared, leads);
  if (found != declared.end()) return *found;
  if (port.target_name.empty()) return undeclared_port(pod_spec, port.number);
  return fail(unclear(label_of(service.resource) + " names port \"" + port.target_name +
                      "\", which no container has"));
}

/// Where the Services send requests, each place once. An error if they lead nowhere.
Result<std::vector<Target>> targets_of(const Node& pod_spec, const std::vector<AppPort>& declared,
                                       const std::vector<Service>& services) {
  std::vector<Target> targets;
  std::optional<Error> error;
  for (const Service& service : services) {
    if (service.is_headless) continue;
    for (const ServicePort& port : service.ports) {
      auto app = target_of(pod_spec, declared, service, port);
      if (!app) {
        error = app.error();
        continue;
      }
      const bool says_http = port.protocol == Protocol::kHttp || port.port == 80;
      const auto known = std::ranges::find(targets, *app, &Target::app);
      if (known == targets.end()) {
        targets.push_back({std::move(*app), says_http});
      } else {
        known->says_http = known->says_http || says_http;
      }
    }
  }
  if (targets.empty() && error) return fail(*error);
  return targets;
}

/// The only one of `targets` that is so; nullopt: several are, or none.
template <class Property>
std::optional<AppPort> only_one(const std::vector<Target>& targets, Property is_so) {
  if (std::ranges::count_if(targets, is_so) != 1) return std::nullopt;
  return std::ranges::find_if(targets, is_so)->app;
}

Result<AppPort> port_of_services(const std::vector<Target>& targets) {
  if (targets.size() == 1) return targets.front().app;
  const auto says_http = [](const Target& target) { return target.says_http; };
  const auto is_declared = [](const Target& target) { return target.app.index.has_value(); };
  if (const auto http = only_one(targets, says_http)) return *http;
  if (const auto declared = only_one(targets, is_declared)) return *declared;
  std::vector<AppPort> all;
  for (const Target& target : targets) all.push_back(target.app);
  return fail(unclear("its Services lead to several ports, " + list_of(all) +
                      ", and one queue-proxy takes one: " + wish_hint()));
}

Result<AppPort> port_of_pod(const std::vector<AppPort>& declared) {
  if (declared.size() == 1) return declared.front();
  if (declared.empty()) {
    return fail(unclear("no container declares a port: add containerPort, or " + wish_hint()));
  }
  std::vector<AppPort> http;
  for (const AppPort& port : declared) {
    if (protocol_of_name(port.name) == Protocol::kHttp) http.push_back(port);
  }
  if (http.size() == 1) return http.front();
  return fail(unclear("it has several ports, " + list_of(declared) +
                      ", and its Service is not in the input: " + wish_hint()));
}

/// Why the queue-proxy cannot forward what the port speaks; empty: it can.
std::string obstacle(Protocol protocol) {
  switch (protocol) {
    case Protocol::kUnknown:
    case Protocol::kHttp:
    case Protocol::kHttp2:
      return {};
    case Protocol::kTls:
      return "speaks TLS; the queue-proxy reads requests, so TLS must end before it";
    case Protocol::kOther:
      break;
  }
  return "does not speak HTTP";
}

Result<AppPort> checked(AppPort app, const std::vector<Service>& services) {
  std::string why = obstacle(protocol_of_name(app.name));
  for (const Service& service : services) {
    for (const ServicePort& port : service.ports) {
      if (why.empty() && leads_to(port, app)) why = obstacle(port.protocol);
    }
  }
  if (why.empty()) return app;
  return fail(ErrorKind::kUnsupported, "port", text_of(app) + " " + why);
}

}  // namespace

std::vector<AppPort> declared_ports(const Node& pod_spec) {
  std::vector<AppPort> declared;
  const Node* const containers = pod_spec.find("containers");
  for (std::size_t c = 0; containers != nullptr && c < containers->items.size(); ++c) {
    const Node* const ports = containers->items[c].find("ports");
    for (std::size_t i = 0; ports != nullptr && i < ports->items.size(); ++i) {
      const Node& port = ports->items[i];
      const std::string transport = port.text_at("protocol");
      const Node* const value = port.find("containerPort");
      const auto number = value == nullptr ? std::nullopt : whole_number(*value, kMaxPort);
      if (!number || (!transport.empty() && transport != "TCP")) continue;
      declared.push_back({.container = c,
                          .index = i,
                          .number = static_cast<std::uint16_t>(*number),
                          .name = port.text_at("name")});
    }
  }
  return declared;
}

bool leads_to(const ServicePort& port, const AppPort& app) {
  if (!port.target_name.empty()) return port.target_name == app.name;
  return port.number == app.number;
}

Result<AppPort> choose_app_port(const Node& pod_spec, const std::vector<Service>& services,
                                const std::string& wish) {
  const std::vector<AppPort> declared = declared_ports(pod_spec);
  if (!wish.empty()) {
    BELLOWS_TRY(AppPort wished, wished_port(pod_spec, declared, wish));
    return checked(std::move(wished), services);
  }
  BELLOWS_TRY(const std::vector<Target> targets, targets_of(pod_spec, declared, services));
  if (targets.empty() && std::ranges::any_of(services, &Service::is_headless)) {
    return fail(
        ErrorKind::kUnsupported, label_of(services.front().resource),
        "is headless: its callers find the pods by name and call the app's port, around "
        "the queue-proxy; add a Service with a cluster IP, or accept it by the annotation " +
            std::string(kPortAnnotation));
  }
  BELLOWS_TRY(AppPort app, targets.empty() ? port_of_pod(declared) : port_of_services(targets));
  return checked(std::move(app), services);
}

}  // namespace bellows::injector
