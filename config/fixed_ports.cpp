#include "config/fixed_ports.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "base/read_number.hpp"
#include "config/revision_schema.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kPort = "port";
constexpr std::string_view kMaxScale = "max-scale";
constexpr std::array<std::string_view, 4> kScales = {kMaxScale, "min-scale", "initial-scale",
                                                     "activation-scale"};

/// Returns the name of the entry's setting; empty: it is none of a service.
std::string_view setting_name(const Entry& entry) {
  const Declaration* declared = find(revision_schema().declarations(), entry.key);
  return declared == nullptr ? std::string_view() : std::string_view(declared->name);
}

/// Returns true if the last of the layers with a port has one.
bool has_fixed_port(std::span<const Layer> layers) {
  std::string_view port = "0";
  for (const Layer& layer : layers) {
    for (const Entry& entry : layer) {
      if (setting_name(entry) == kPort) port = entry.value;
    }
  }
  return port != "0";
}

/// Lowers to 1 what would need several replicas.
void lower_scales(Layer& layer) {
  for (Entry& entry : layer) {
    const auto number = read_number<int>(entry.value);
    const std::string_view name = setting_name(entry);
    if (!number || std::ranges::find(kScales, name) == kScales.end()) continue;
    if (*number > 1 || (name == kMaxScale && *number == 0)) entry.value = "1";
  }
}

}  // namespace

void yield_to_port(std::span<Layer> layers, std::size_t own) {
  if (!has_fixed_port(layers)) return;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i != own) lower_scales(layers[i]);
  }
}

Result<void> check_addresses(const config::RunSettings& settings) {
  std::vector<std::pair<std::string, Endpoint>> addresses = {{"--listen", settings.listen},
                                                             {"--admin", settings.admin}};
  if (settings.tls.redirect_listen) {
    addresses.emplace_back("--redirect-listen", *settings.tls.redirect_listen);
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    for (std::size_t j = i + 1; j < addresses.size(); ++j) {
      if (!overlap(addresses[i].second, addresses[j].second)) continue;
      return fail(ErrorKind::kInvalidSetting, addresses[i].first + " and " + addresses[j].first,
                  "\"" + to_string(addresses[i].second) + "\" and \"" +
                      to_string(addresses[j].second) +
                      "\" overlap; want another port for one of them");
    }
  }
  return {};
}

FixedPorts::FixedPorts(const RunSettings& run) {
  if (run.admin.port != 0) owners_[run.admin.port] = "admin";
  if (run.listen.port != 0) owners_[run.listen.port] = "listen";
}

Result<void> FixedPorts::take(const RevisionId& service, std::uint16_t port) {
  if (port == 0) return {};
  const std::string name = "service " + service.text();
  const auto [owner, is_new] = owners_.emplace(port, name);
  if (is_new || owner->second == name) return {};
  return fail(ErrorKind::kConflict, name + ": port",
              "\"" + std::to_string(port) + "\": " + owner->second + " has it; want another one");
}

}  // namespace bellows::config
