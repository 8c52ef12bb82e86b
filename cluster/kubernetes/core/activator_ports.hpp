// Which port of the activators belongs to which Revision. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/port_range.hpp"

namespace bellows::cluster {

/// A port that was taken back is not given to another Revision for kQuarantine: a node that is
/// behind may still send requests there. Owner: Paths.
class ActivatorPorts {
 public:
  static constexpr Duration kQuarantine = std::chrono::minutes(5);

  explicit ActivatorPorts(config::PortRange range) : range_(range) {}

  /// The port that `id` has by what the server lists (0: none). False: another Revision has it, or
  /// it is outside of the range, so `id` needs another one.
  bool recognize(const RevisionId& id, std::uint16_t port);
  /// The port of `id`, or a new one: the first free one from a place on that its name gives, so
  /// that the choice hardly ever falls on a port that an earlier autoscaler has just taken back.
  /// Nothing: all are given out or were taken back within kQuarantine.
  std::optional<std::uint16_t> give(const RevisionId& id, TimePoint now);
  void take_back(const RevisionId& id, TimePoint now);

  /// An earlier autoscaler took it back then.
  void rest(std::uint16_t port, TimePoint since);
  /// Those that must not be given out yet, and since when.
  std::map<std::uint16_t, TimePoint> resting(TimePoint now) const;

  /// 0: it has none.
  std::uint16_t of(const RevisionId& id) const;
  const config::PortRange& range() const { return range_; }

 private:
  config::PortRange range_;
  std::map<RevisionId, std::uint16_t> ports_;
  std::map<std::uint16_t, RevisionId> owners_;
  std::map<std::uint16_t, TimePoint> taken_back_;
};

}  // namespace bellows::cluster
