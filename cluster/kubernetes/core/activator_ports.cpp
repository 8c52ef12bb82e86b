#include "cluster/kubernetes/core/activator_ports.hpp"

#include <algorithm>
#include <functional>

namespace bellows::cluster {

bool ActivatorPorts::recognize(const RevisionId& id, std::uint16_t port) {
  if (!range_.has(port)) return false;
  const auto own = ports_.find(id);
  if (own != ports_.end()) return own->second == port;
  if (owners_.contains(port)) return false;
  ports_[id] = port;
  owners_[port] = id;
  taken_back_.erase(port);
  return true;
}

std::optional<std::uint16_t> ActivatorPorts::give(const RevisionId& id, TimePoint now) {
  if (const std::uint16_t known = of(id); known != 0) return known;
  const std::size_t size = std::size_t{range_.last} - range_.first + 1;
  const std::size_t start = std::hash<RevisionId>()(id) % size;
  for (std::size_t i = 0; i < size; ++i) {
    const auto port = static_cast<std::uint16_t>(range_.first + (start + i) % size);
    const auto taken_back = taken_back_.find(port);
    if (taken_back != taken_back_.end() && now < taken_back->second + kQuarantine) continue;
    if (recognize(id, port)) return port;
  }
  return std::nullopt;
}

void ActivatorPorts::take_back(const RevisionId& id, TimePoint now) {
  const auto own = ports_.find(id);
  if (own == ports_.end()) return;
  owners_.erase(own->second);
  taken_back_[own->second] = now;
  ports_.erase(own);
}

void ActivatorPorts::rest(std::uint16_t port, TimePoint since) {
  if (!range_.has(port) || owners_.contains(port)) return;
  TimePoint& known = taken_back_.try_emplace(port, since).first->second;
  known = std::max(known, since);
}

std::map<std::uint16_t, TimePoint> ActivatorPorts::resting(TimePoint now) const {
  std::map<std::uint16_t, TimePoint> resting;
  for (const auto& [port, since] : taken_back_) {
    if (now < since + kQuarantine) resting.emplace(port, since);
  }
  return resting;
}

std::uint16_t ActivatorPorts::of(const RevisionId& id) const {
  const auto own = ports_.find(id);
  return own == ports_.end() ? 0 : own->second;
}

}  // namespace bellows::cluster
