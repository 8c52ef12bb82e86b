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
#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {

/// What a policy decides from. Views of what the decision owns.
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

enum class MemoryChange : std::uint8_t {
  kUnknown,  ///< it may have changed
  kNone,
  kPart,  ///< as write_change() says
};

/// What a policy remembers from one decision to the next. Plain data; it survives restarts.
class PolicyMemory {
 public:
  virtual ~PolicyMemory() = default;
  virtual std::unique_ptr<PolicyMemory> clone() const = 0;
  /// As members of the open object; instants as ages at `at`.
  virtual void write(json::Writer& out, TimePoint at) const = 0;
  /// Whether it can tell what the decision at `at` changed; then write_change() writes that.
  virtual MemoryChange change(TimePoint /*at*/) const { return MemoryChange::kUnknown; }
  /// The members of write() that the decision at `at` changed, and every age. Of a list that grew
  /// at its end only the new elements, under its key with "+" before it.
  virtual void write_change(json::Writer& /*out*/, TimePoint /*at*/) const {}
  /// Every instant is later by that.
  virtual void move(Duration by) = 0;
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

  /// Allocates little: every decision calls it. `memory` is what start() or a restart made.
  virtual Proposal propose(const PolicyInput& input, const PolicyMemory* memory) const = 0;

  /// nullptr: nothing has to be remembered.
  virtual std::unique_ptr<PolicyMemory> start() const { return nullptr; }
  /// After the decision that `proposal` was part of. `memory` is not null if start() is not.
  virtual void remember(PolicyMemory& /*memory*/, const PolicyInput& /*input*/,
                        const Proposal& /*proposal*/) const {}
  /// Reads what write() wrote.
  virtual Result<std::unique_ptr<PolicyMemory>> read(const json::Object& /*object*/,
                                                     TimePoint /*at*/) const {
    return std::unique_ptr<PolicyMemory>();
  }

  /// After the decision at `at`, it has something new to say so much later; until then its last
  /// proposal holds. A request that waits at zero, other settings and another state of the revision
  /// are decided at once.
  virtual Duration period(const PolicyMemory* /*memory*/, TimePoint /*at*/) const {
    return kEvaluationPeriod;
  }
  /// It needs PolicyInput::by_load.
  virtual bool uses_load() const { return false; }
  /// What it will want later, if that is known: "3 replicas from 08:00 (in 2h)"; empty: nothing.
  virtual std::string ahead(const PolicySeen& /*seen*/) const { return {}; }
  /// Appends the webhooks that have to be asked.
  virtual void add_questions(std::vector<WebhookQuestion>& /*questions*/) const {}
};
using PolicyPtr = std::shared_ptr<const Policy>;  // owners: lists with the same settings

/// A type of policy by name.
struct PolicyType {
  std::string_view name;
  /// From its parameters. Unknown keys and values out of range are kMalformed and name key, value
  /// and range.
  Result<PolicyPtr> (*make)(const json::Object& parameters) = nullptr;
  /// False: it needs no parameters, and `policy: NAME` is enough.
  bool needs_parameters = true;
};

}  // namespace bellows::autoscaler
