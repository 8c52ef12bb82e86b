// The policies of one revision, and what they remember.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/core/policy/policy.hpp"
#include "autoscaler/core/policy/registry.hpp"

namespace bellows::autoscaler {

/// What each policy remembers, in the order of the list. Copied by value. Owner: a decider's state.
class PolicyMemories {
 public:
  PolicyMemories() = default;
  PolicyMemories(const PolicyMemories& other) { *this = other; }
  PolicyMemories& operator=(const PolicyMemories& other);
  PolicyMemories(PolicyMemories&&) noexcept = default;
  PolicyMemories& operator=(PolicyMemories&&) noexcept = default;
  ~PolicyMemories() = default;

  struct Slot {
    std::string policy;  ///< its name
    std::unique_ptr<PolicyMemory> memory;
    PolicyPtr owner;  ///< whose memory it is: other settings read it anew
    /// What a restart read, as JSON: until the policy of that name reads it.
    std::string unread;
    TimePoint unread_at;  ///< on the time line of its ages
  };

  std::vector<Slot>& slots() { return slots_; }
  const std::vector<Slot>& slots() const { return slots_; }
  bool empty() const { return slots_.empty(); }
  void move(Duration by);
  /// By what they would write.
  bool operator==(const PolicyMemories& other) const;

 private:
  std::vector<Slot> slots_;
};

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
  /// nullptr unless it has the policy.
  const Policy* find(std::string_view name) const;

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

  const PolicyMemory* memory_of(const PolicyMemories& memories, std::size_t index, TimePoint now,
                                std::unique_ptr<PolicyMemory>& made) const;
  /// The memory that begins, or goes on after a restart or with other settings.
  std::unique_ptr<PolicyMemory> begun(const PolicyMemories& memories, std::size_t index,
                                      TimePoint now) const;
  /// True if the slot is the one of that policy with these settings.
  bool fits(const PolicyMemories& memories, std::size_t index) const;

  const std::vector<Named>& named() const { return made_->named; }

  std::shared_ptr<const Made> made_;  // owners: the specs of these settings
};

}  // namespace bellows::autoscaler
