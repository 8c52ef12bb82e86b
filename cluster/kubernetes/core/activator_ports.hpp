// Assigns ports of the activators to Revisions. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/port_range.hpp"

namespace bellows::cluster {

/// A port that was released goes to no other Revision for kQuarantine: a node that lags behind may
/// still send requests there. Owner: Paths.
class ActivatorPorts {
 public:
  static constexpr Duration kQuarantine = std::chrono::minutes(5);

  explicit ActivatorPorts(config::PortRange range) : range_(range) {}

  /// Records the port that the server lists for `id` (0: none). Returns false if another Revision
  /// has it, or it is outside of the range, so `id` needs another one.
  bool recognize(const RevisionId& id, std::uint16_t port);
  /// Returns the port of `id`, or assigns the first free one from a place on that its name gives,
  /// so that it is rarely a port that an earlier autoscaler has just released. nullopt: all are
  /// assigned or were released within kQuarantine.
  std::optional<std::uint16_t> give(const RevisionId& id, TimePoint now);
  void take_back(const RevisionId& id, TimePoint now);

  /// Records that an earlier autoscaler released it at `since`.
  void rest(std::uint16_t port, TimePoint since);
  /// Returns the ports that must not be assigned yet, and since when.
  std::map<std::uint16_t, TimePoint> resting(TimePoint now) const;

  /// Returns its port; 0: none.
  std::uint16_t of(const RevisionId& id) const;
  const config::PortRange& range() const { return range_; }

 private:
  config::PortRange range_;
  std::map<RevisionId, std::uint16_t> ports_;
  std::map<std::uint16_t, RevisionId> owners_;
  std::map<std::uint16_t, TimePoint> taken_back_;
};

}  // namespace bellows::cluster
