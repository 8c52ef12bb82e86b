#include "injector/core/probes.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "json/writer.hpp"

namespace bellows::injector {

namespace {

constexpr std::int64_t kMaxNumber = 1'000'000;

/// The number of a probe's port; nullopt: it names no port of the container.
std::optional<std::int64_t> port_number(const Node& action, const Node& container) {
  const Node* const port = action.find("port");
  if (port == nullptr) return std::nullopt;
  if (const auto number = whole_number(*port, kMaxPort)) return number;
  const Node* const ports = container.find("ports");
  if (ports == nullptr || !port->is_scalar()) return std::nullopt;
  for (const Node& declared : ports->items) {
    const Node* const number = declared.find("containerPort");
    if (number == nullptr || declared.text_at("name") != port->text) continue;
    return whole_number(*number, kMaxPort);
  }
  return std::nullopt;
}

/// Why the queue-proxy cannot send this probe as the kubelet does; empty: it can.
std::string other_kind(const Node& probe) {
  if (probe.find("exec") != nullptr) return "exec";
  if (probe.find("grpc") != nullptr) return "gRPC";
  const Node* const http = probe.find("httpGet");
  const Node* const tcp = probe.find("tcpSocket");
  if ((http == nullptr) == (tcp == nullptr)) return "unknown";
  const Node& action = http != nullptr ? *http : *tcp;
  if (!action.text_at("host").empty()) return "to another host";
  const std::string scheme = action.text_at("scheme");
  if (!scheme.empty() && scheme != "HTTP") return "HTTPS";
  const Node* const headers = action.find("httpHeaders");
  if (headers != nullptr && !headers->items.empty()) return "with headers";
  return {};
}

/// An API server writes the default where a manifest has nothing, so both are the same here.
void add_number(const Node& probe, std::string_view key, std::int64_t usual, json::Writer& writer) {
  const Node* const value = probe.find(key);
  const auto number = value == nullptr ? std::nullopt : whole_number(*value, kMaxNumber);
  if (number && *number != usual) writer.integer(key, *number);
}

std::optional<config::ReadinessProbe> converted(const Node& probe, const Node& container,
                                                std::uint16_t app_port) {
  const Node* const http = probe.find("httpGet");
  const Node& action = http != nullptr ? *http : *probe.find("tcpSocket");
  const auto port = port_number(action, container);
  if (!port) return std::nullopt;
  json::Writer writer;
  writer.open(http != nullptr ? "httpGet" : "tcpSocket");
  if (const std::string path = action.text_at("path"); !path.empty()) writer.text("path", path);
  if (*port != app_port) writer.integer("port", *port);
  writer.close();
  add_number(probe, "timeoutSeconds", 1, writer);
  add_number(probe, "periodSeconds", 10, writer);
  add_number(probe, "failureThreshold", 3, writer);
  return config::read_readiness_probe(writer.end());
}

void plan_readiness(const Node& container, Plan& plan) {
  const Node* const probe = container.find("readinessProbe");
  if (probe == nullptr || !probe->is_map()) return;
  const std::string why = other_kind(*probe);
  if (!why.empty()) {
    plan.notes.push_back("its readiness probe (" + why +
                         ") stays with the app; the queue-proxy checks that the port accepts");
    return;
  }
  const auto readiness = converted(*probe, container, plan.app.number);
  if (!readiness) {
    plan.notes.push_back("its readiness probe stays with the app: the queue-proxy cannot send it");
    return;
  }
  plan.settings.readiness = *readiness;
  plan.moves_readiness = true;
}

}  // namespace

void plan_probes(const Node& container, Plan& plan) {
  plan_readiness(container, plan);
  if (plan.app.name.empty()) return;
  static constexpr std::array<const char*, 10> kPaths = {
      "readinessProbe/httpGet/port",      "readinessProbe/tcpSocket/port",
      "livenessProbe/httpGet/port",       "livenessProbe/tcpSocket/port",
      "startupProbe/httpGet/port",        "startupProbe/tcpSocket/port",
      "lifecycle/postStart/httpGet/port", "lifecycle/postStart/tcpSocket/port",
      "lifecycle/preStop/httpGet/port",   "lifecycle/preStop/tcpSocket/port"};
  for (const std::string path : kPaths) {
    if (plan.moves_readiness && path.starts_with("readinessProbe/")) continue;
    if (container.text_at(path) == plan.app.name) plan.references.push_back(path);
  }
}

}  // namespace bellows::injector
