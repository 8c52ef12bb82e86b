// The histograms of all containers of a workload, and the memory windows of all their instances.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/recommender_settings.hpp"
#include "recommender/core/aggregate.hpp"
#include "recommender/core/checkpoint.hpp"
#include "recommender/core/instance_registry.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::json {
class Writer;
class Object;
}  // namespace bellows::json

namespace bellows::recommender {

/// VPA's model of containers. Owner: a policy, whose settings outlive it. Containers and instances
/// are those of its registry, by index.
class History {
 public:
  explicit History(const config::HistorySettings& settings);
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  void add_container();
  void add_instance(InstanceId instance);

  /// Prefetches what add_cpu() reads. Changes nothing.
  void fetch_ahead(std::uint32_t container) const { aggregates_[container].cpu.fetch_ahead(); }
  void add_cpu(std::uint32_t container, WallTime at, double cores);
  void add_memory(InstanceId instance, std::uint32_t container, WallTime at, std::int64_t bytes);
  /// Does what MemoryPeaks::add_oom() does.
  std::optional<std::int64_t> add_oom(InstanceId instance, std::uint32_t container, WallTime at,
                                      Bytes requested);

  /// Drops what was learned from samples of a container; what was loaded from a checkpoint stays.
  void forget(std::uint32_t container) { aggregates_[container] = none(); }
  const Aggregate& learned(std::uint32_t container) const { return aggregates_[container]; }
  bool has_loaded(std::uint32_t container) const { return loaded_[container] != nullptr; }

  /// Returns the history of a container, loaded checkpoints included. It is valid until the next
  /// call.
  const Aggregate& known(std::uint32_t container);

  Checkpoint checkpoint(std::uint32_t container, const InstanceRegistry& registry, WallTime now);
  void load(std::uint32_t container, const Checkpoint& checkpoint);

  /// Takes the history of the container `of` in `earlier` as a prior: its CPU weighs at most as
  /// much as an hour of own samples, one a minute; its memory more than the own peak of a day, and
  /// less than those of two.
  void begin_after(std::uint32_t container, History& earlier, std::uint32_t of, WallTime now);

  void save_container(std::uint32_t container, json::Writer& line) const;
  void save_instance(InstanceId instance, json::Writer& line) const;
  Result<void> restore_container(std::uint32_t container, const json::Object& saved);
  Result<void> restore_instance(InstanceId instance, const json::Object& saved);

 private:
  Aggregate none() const { return {cpu_options_, memory_options_}; }

  const config::HistorySettings& settings_;
  HistogramOptions cpu_options_;
  HistogramOptions memory_options_;
  std::vector<Aggregate> aggregates_;               // by container
  std::vector<std::unique_ptr<Aggregate>> loaded_;  // by container: from a checkpoint, or null
  std::vector<MemoryPeaks> peaks_;                  // by instance
  Aggregate merged_;                                // result of known() if there are both
};

/// Makes the error of an OOM kill at `at` that is too old for add_oom(). `label` names the
/// instance.
Error oom_too_old(const std::string& label, WallTime at);

}  // namespace bellows::recommender
