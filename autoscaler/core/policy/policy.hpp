// A way to decide how many replicas a revision should run. Several decide together: the maximum
// holds. docs/policies.md walks through a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/policy/policy_memory.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "json/object.hpp"

namespace bellows::autoscaler {

/// The input of a policy: views of what the decision owns.
struct PolicyInput {
  TimePoint now;
  const Observation& seen;
  const PolicySeen& more;
  PodCount replicas = 0;                 ///< of the last decision
  std::optional<PodCount> by_load = {};  ///< of the concurrency decider, if a policy uses_load()
  std::int32_t slots = 1;                ///< requests that a replica takes; 1: a replica is a room
};

struct Proposal {
  std::optional<PodCount> replicas;  ///< nullopt: it cannot say
  std::string reason;                ///< one clause without a full stop
  bool is_by_load = false;           ///< it is PolicyInput::by_load

  bool operator==(const Proposal&) const = default;
};

/// The pure part of a webhook's question; autoscaler/service asks it.
struct WebhookQuestion {
  std::string url;
  Duration timeout{};
  Duration period{};

  bool operator==(const WebhookQuestion&) const = default;
};

/// Pure and immutable: the same input and memory give the same proposal. Owner: a PolicyList.
class Policy {
 public:
  virtual ~Policy() = default;

  /// Allocates little: every decision calls it. `memory` fits.
  virtual Proposal propose(const PolicyInput& input, const PolicyMemory& memory) const = 0;

  /// Prepares a memory that is new, or of other settings or a restart.
  virtual void fit(PolicyMemory& /*memory*/) const {}
  /// Updates the memory after the decision that `proposal` was part of.
  virtual void remember(PolicyMemory& /*memory*/, const PolicyInput& /*input*/,
                        const Proposal& /*proposal*/) const {}

  /// Returns how long its last proposal holds after the decision at `at`. A request that waits at
  /// zero, other settings and another state of the revision are decided at once.
  virtual Duration period(const PolicyMemory& /*memory*/, TimePoint /*at*/) const {
    return kEvaluationPeriod;
  }
  /// Returns true if it needs PolicyInput::by_load.
  virtual bool uses_load() const { return false; }
  /// Returns its future number, if that is known: "3 replicas from 08:00 (in 2h)"; empty: nothing.
  virtual std::string ahead(const PolicySeen& /*seen*/) const { return {}; }
  /// Appends the webhooks that have to be asked.
  virtual void add_questions(std::vector<WebhookQuestion>& /*questions*/) const {}
};
using PolicyPtr = std::shared_ptr<const Policy>;  // owners: lists with the same settings

/// A type of policy by name.
struct PolicyType {
  std::string_view name;
  /// Makes it from its parameters. Unknown keys and values out of range are kMalformed and name
  /// key, value and range.
  Result<PolicyPtr> (*make)(const json::Object& parameters) = nullptr;
  /// False: it needs no parameters, and `policy: NAME` is enough.
  bool needs_parameters = true;
};

}  // namespace bellows::autoscaler
