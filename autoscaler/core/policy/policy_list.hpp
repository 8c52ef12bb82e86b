// The policies of one revision, and what they remember.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/policy/policy.hpp"
#include "autoscaler/core/policy/registry.hpp"

namespace bellows::autoscaler {

/// The memory of one policy of a list.
struct PolicySlot {
  std::string policy;  ///< its name
  PolicyMemory memory;
  PolicyPtr owner = nullptr;  ///< whose memory it is: another one, with other settings, fits it

  /// Compares what is written.
  bool operator==(const PolicySlot& other) const;
};

/// In the order of the list. Owner: a decider's state.
using PolicyMemories = std::vector<PolicySlot>;

struct PolicyOutcome {
  std::vector<Proposal> proposals;  ///< in the order of the list
  std::int32_t winner = -1;         ///< the first with the maximum; -1: none could say
  std::string name;                 ///< of the winner
  bool is_by_load = false;          ///< the winner is what the concurrency decider says

  bool operator==(const PolicyOutcome&) const = default;
};

/// Shared and immutable; compared by the settings that it was made from.
class PolicyList {
 public:
  /// Only the concurrency decider.
  PolicyList() = default;

  /// `names`: "concurrency, schedule"; empty: triggers if `autoscaling` has any of its keys, else
  /// concurrency. `autoscaling` is a JSON object, or empty: the keys of triggers at the top, the
  /// parameters of every other policy under its name. kMalformed names key, value and what is
  /// valid.
  static Result<PolicyList> make(std::string_view names, std::string_view autoscaling,
                                 const PolicyTypes& types = policy_types());

  /// True: nothing but the concurrency decider decides.
  bool is_plain() const { return made_ == nullptr; }
  bool uses_load() const;
  /// From the decision at `at`, which `memories` know of, to the next: when the first of its
  /// policies has something new.
  Duration period(const PolicyMemories& memories, TimePoint at) const;
  /// One of them asks a webhook.
  bool asks_webhooks() const { return made_ && made_->asks_webhooks; }
  /// In the order of the proposals.
  std::vector<std::string> names() const;

  PolicyOutcome propose(const PolicyInput& input, const PolicyMemories& memories) const;
  void remember(PolicyMemories& memories, const PolicyInput& input,
                const PolicyOutcome& outcome) const;

  /// One line each: what the policies will want later.
  std::vector<std::string> ahead(const PolicySeen& seen) const;
  std::vector<WebhookQuestion> questions() const;

  bool operator==(const PolicyList& other) const;

 private:
  struct Named {
    std::string name;
    PolicyPtr policy;
  };
  struct Made {
    std::string source;  // the settings
    std::vector<Named> named;
    bool asks_webhooks = false;
  };

  /// Returns a memory that begins, or goes on after a restart or with other settings.
  PolicyMemory begun(const PolicyMemories& memories, std::size_t index) const;
  /// True if the slot is the one of that policy with these settings.
  bool fits(const PolicyMemories& memories, std::size_t index) const;

  std::span<const Named> named() const {
    return made_ ? std::span<const Named>(made_->named) : std::span<const Named>();
  }

  std::shared_ptr<const Made> made_;  // owners: the specs of these settings
};

}  // namespace bellows::autoscaler
