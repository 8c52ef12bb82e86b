// The report of one source of load about one second. docs/formats/wire.md describes it byte for
// byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::metrics {

/// Kind of the reporting source. A replica's queue-proxy counts what it serves (running and waiting
/// there); an activator counts only requests in its own queue. So no request is counted twice.
enum class StatSource : std::uint8_t { kReplica = 0, kActivator = 1 };

/// A number that a replica counts (players, jobs), and its capacity.
struct ReplicaCounter {
  double count = 0;
  double capacity = 0;  ///< 0: unknown

  bool operator==(const ReplicaCounter&) const = default;
};

/// One closed second of one source.
struct Stat {
  RevisionId revision;
  PodName pod;  ///< the source's name, unique within the revision
  StatSource source = StatSource::kReplica;
  std::uint64_t boot = 0;  ///< random, drawn once per process: a restarted source has another one
  std::uint64_t sequence = 0;  ///< increases by one per closed second of this boot
  Duration age{};  ///< now minus the end of the second, by the sender's monotonic clock, when sent
  Concurrency concurrency = 0;  ///< time-weighted mean of requests in flight within the second
  Concurrency peak = 0;         ///< maximum of requests in flight within the second
  std::uint64_t requests = 0;   ///< requests that arrived within the second
  /// Activators only: number of replicas that are listed as ready and that it cannot reach at their
  /// address.
  std::uint64_t unreachable = 0;
  ReadingPtr reading{};  ///< of the replica's app; null if it is not measured
  /// The replica holds a tunnel, or reports that it is busy, so a scale-down spares it.
  bool is_occupied = false;
  std::optional<ReplicaCounter> counter = {};

  bool operator==(const Stat&) const = default;
};

/// A request waits and there is no replica: an activator sends it at once with the first request
/// for a revision without replicas. It is never recorded in a window, so loss or duplication does
/// no harm. It is "wake" on the wire.
struct ScaleFromZeroTrigger {
  RevisionId revision;
  PodName pod;
  std::uint64_t boot = 0;
  std::uint64_t waiting = 0;  ///< requests in the activator's queue for this revision

  bool operator==(const ScaleFromZeroTrigger&) const = default;
};

/// Names with texts: settings with their values, or with reasons.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// The settings that a queue-proxy takes from its revision, sent by the autoscaler on the
/// connection on which it gets that replica's stats.
struct SettingsOrder {
  RevisionId revision;
  PodName pod;
  std::uint64_t generation = 0;  ///< grows with each change; its answer has the same
  NamedTexts settings;           ///< all that the revision sets; others are as the program started

  bool operator==(const SettingsOrder&) const = default;
};

/// The answer of a queue-proxy.
struct SettingsTaken {
  RevisionId revision;
  PodName pod;
  std::uint64_t generation = 0;
  NamedTexts refused;  ///< settings of the order that are not in effect, with the reason
  NamedTexts own;      ///< settings of its start, where the order has none

  bool operator==(const SettingsTaken&) const = default;
};

/// Receives stats and triggers; implemented by the autoscaler (in process) and by the sender (over
/// WebSocket). Thread: the io thread of the program.
class StatSink {
 public:
  virtual ~StatSink() = default;
  virtual void accept(const Stat& stat) = 0;
  virtual void accept(const ScaleFromZeroTrigger& trigger) = 0;
  /// Only the autoscaler's end of a connection reads it.
  virtual void answered(const SettingsTaken& /*taken*/) {}
};

}  // namespace bellows::metrics
