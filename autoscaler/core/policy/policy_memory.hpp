// What policies remember from one decision to the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "autoscaler/triggers/trigger_engine.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {

/// The memory of one policy of any type, which uses the part that it needs. Plain data; it survives
/// restarts (docs/formats/snapshot.md).
struct PolicyMemory {
  PodCount wanted = 0;                   ///< as proposed last
  std::optional<TimePoint> scaled_down;  ///< when a proposal was less than the one before
  triggers::Memory engine;               ///< of `triggers`, as the rest
  std::optional<TimePoint> last_point;
  std::string reason;               ///< of the last proposal
  std::vector<PolicyMemory> links;  ///< of the entries of a `chain`
  // Of the newest change, which is not saved.
  std::optional<TimePoint> changed;  ///< when: the time of that decision
  bool is_point = false;             ///< it added a point

  bool empty() const { return wanted == 0 && !scaled_down && !last_point && links.empty(); }
  /// Writes it as members of the open object; instants as ages at `at`.
  void write(json::Writer& out, TimePoint at) const;
  /// Writes what the decision at `at` changed: of the points only a new one, under its key with "+"
  /// before it.
  void write_change(json::Writer& out, TimePoint at) const;
  /// Reads what write() or write_change() wrote. Members that the object lacks stay; elements of a
  /// list with "+" are appended.
  Result<void> read(const json::Object& object, TimePoint at);
  /// Moves every instant by that.
  void move(Duration by);
};

}  // namespace bellows::autoscaler
