#include "injector/core/app_port.hpp"

#include <algorithm>

#include "base/read_number.hpp"
#include "injector/core/evidence.hpp"
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
  const auto number = read_number<std::int64_t>(wish);
  const auto found = std::ranges::find_if(declared, [&](const AppPort& port) {
    return number ? port.number == *number : port.name == wish;
  });
  if (found != declared.end()) return *found;
  if (number && *number > 0 && *number <= kMaxPort) return undeclared_port(pod_spec, *number);
  return fail(unclear("\"" + wish + "\" is no port of a container: want one of " +
                      (declared.empty() ? "1 to 65535" : list_of(declared))));
}

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
Result<std::vector<AppPort>> targets_of(const Node& pod_spec, const std::vector<AppPort>& declared,
                                        const std::vector<Service>& services) {
  std::vector<AppPort> targets;
  std::optional<Error> error;
  for (const Service& service : services) {
    if (service.is_headless) continue;
    for (const ServicePort& port : service.ports) {
      auto app = target_of(pod_spec, declared, service, port);
      if (!app) {
        error = app.error();
      } else if (std::ranges::find(targets, *app) == targets.end()) {
        targets.push_back(std::move(*app));
      }
    }
  }
  if (targets.empty() && error) return fail(*error);
  return targets;
}

/// A port that may be the app's, with what it speaks.
struct Candidate {
  AppPort app;
  Evidence evidence;
  bool is_management = false;
  bool is_at_80 = false;  ///< port 80 of a Service leads to it
};

std::vector<Candidate> judged(const std::vector<AppPort>& ports, const Node& pod_spec,
                              const std::vector<Service>& services) {
  std::vector<Candidate> candidates;
  for (const AppPort& app : ports) {
    const auto is_at_80 = [&app](const Service& service) {
      return std::ranges::any_of(service.ports, [&app](const ServicePort& port) {
        return port.port == 80 && leads_to(port, app);
      });
    };
    candidates.push_back({.app = app,
                          .evidence = evidence_of(app, pod_spec, services),
                          .is_management = is_for_management(app, services),
                          .is_at_80 = std::ranges::any_of(services, is_at_80)});
  }
  return candidates;
}

/// Why the queue-proxy cannot forward what was found; empty: it can.
std::string obstacle(const Evidence& evidence) {
  if (evidence.protocol == Protocol::kOther) return "does not speak HTTP (" + evidence.source + ")";
  if (evidence.protocol != Protocol::kTls) return {};
  return "speaks TLS (" + evidence.source +
         "); the queue-proxy reads requests, so TLS must end before it";
}

/// Why this port is not the app's.
std::string reason_of(const Candidate& candidate) {
  const std::string port = text_of(candidate.app);
  if (candidate.is_management) {
    return port + " is for metrics, health or administration by its name";
  }
  const std::string why = obstacle(candidate.evidence);
  return why.empty() ? "no sign that " + port + " speaks HTTP" : port + " " + why;
}

/// Returns the error that no port takes HTTP requests.
Error nothing_speaks_http(const std::vector<Candidate>& candidates) {
  std::string reasons;
  bool is_unknown = false;
  for (const Candidate& candidate : candidates) {
    is_unknown = is_unknown ||
                 (candidate.evidence.protocol == Protocol::kUnknown && !candidate.is_management);
    reasons += (reasons.empty() ? "" : "; ") + reason_of(candidate);
  }
  if (candidates.empty()) {
    return {ErrorKind::kNotFound, "port",
            "no container declares one, and no Service of the input selects its pods; if it takes "
            "requests, add containerPort, or " +
                wish_hint()};
  }
  if (is_unknown) {
    reasons += "; if it does, name the port http, or " + wish_hint();
  } else if (std::ranges::any_of(candidates, &Candidate::is_management)) {
    reasons += "; if it takes the requests, " + wish_hint();
  }
  return {ErrorKind::kNotFound, "port", reasons};
}

using Property = bool (*)(const Candidate&);

/// Of several ports that speak HTTP: the only one with the first of these properties that only one
/// has.
std::optional<AppPort> preferred(const std::vector<Candidate>& http) {
  static constexpr Property kProperties[] = {
      [](const Candidate& each) {
        return each.is_at_80 ||
               (each.evidence.is_said && each.evidence.protocol == Protocol::kHttp);
      },
      [](const Candidate& each) { return each.evidence.is_said; },
      [](const Candidate& each) { return each.app.index.has_value(); },
  };
  if (http.size() == 1) return http.front().app;
  for (const Property has : kProperties) {
    if (std::ranges::count_if(http, has) == 1) return std::ranges::find_if(http, has)->app;
  }
  return std::nullopt;
}

/// The one of `candidates` that takes the requests.
Result<AppPort> chosen(const std::vector<Candidate>& candidates, bool has_service) {
  std::vector<Candidate> http;
  std::vector<AppPort> open;  // that may speak HTTP, as far as anything says
  for (const Candidate& candidate : candidates) {
    if (candidate.is_management) continue;
    if (is_http(candidate.evidence.protocol)) http.push_back(candidate);
    if (obstacle(candidate.evidence).empty()) open.push_back(candidate.app);
  }
  if (http.empty()) return fail(nothing_speaks_http(candidates));
  // A probe alone may be of a port that is there for it.
  const bool is_health_perhaps =
      !has_service && http.size() == 1 && open.size() > 1 && http.front().evidence.is_probe;
  const auto app = is_health_perhaps ? std::nullopt : preferred(http);
  if (app) return *app;
  const std::string what = has_service ? "its Services lead to several ports, "
                                       : "it has several ports that may be the app's, ";
  const std::string more = has_service ? ", and one queue-proxy takes one: "
                                       : ", and no Service of the input leads to one: ";
  return fail(unclear(what + list_of(open) + more + wish_hint()));
}

/// Checks a port that a user named: only a name of another protocol rejects it.
Result<AppPort> checked(AppPort app, const Node& pod_spec, const std::vector<Service>& services) {
  const Evidence evidence = evidence_of(app, pod_spec, services);
  const std::string why = evidence.is_said ? obstacle(evidence) : "";
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
      if (number.value_or(0) == 0 || (!transport.empty() && transport != "TCP")) continue;
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
    return checked(std::move(wished), pod_spec, services);
  }
  BELLOWS_TRY(const std::vector<AppPort> targets, targets_of(pod_spec, declared, services));
  std::vector<Candidate> candidates = judged(targets, pod_spec, services);
  const bool has_service = !std::ranges::all_of(candidates, &Candidate::is_management);
  if (!has_service) candidates = judged(declared, pod_spec, services);
  BELLOWS_TRY(AppPort app, chosen(candidates, has_service));
  const auto headless = std::ranges::find_if(services, &Service::is_headless);
  if (targets.empty() && headless != services.end()) {
    return fail(
        ErrorKind::kUnsupported, label_of(headless->resource),
        "is headless: its callers find the pods by name and call the app's port, around "
        "the queue-proxy; add a Service with a cluster IP, or accept it by the annotation " +
            std::string(kPortAnnotation));
  }
  return app;
}

}  // namespace bellows::injector
