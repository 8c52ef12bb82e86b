#include "recommender/core/sizing_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/quantity_text.hpp"
#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

namespace {

using config::ResourcesMode;

template <class Amount>
bool is_off(const std::optional<Amount>& now, const std::optional<Amount>& wanted) {
  if (!wanted) return false;
  if (!now) return true;
  const auto has = static_cast<double>(now->value);
  return std::abs(static_cast<double>(wanted->value) - has) >= kMinRelativeChange * has;
}

template <class Amount>
bool is_outside(const std::optional<Amount>& now, const std::optional<Amount>& min,
                const std::optional<Amount>& max) {
  return now && ((min && *now < *min) || (max && *now > *max));
}

bool needs_more_memory(const ReplicaSize& now, const ReplicaSize& wanted) {
  const bool more = wanted.memory && (!now.memory || *wanted.memory > *now.memory);
  const bool higher =
      wanted.memory_limit && now.memory_limit && *wanted.memory_limit > *now.memory_limit;
  return more || higher;
}

bool sets_limits(const config::ResourcesSettings& settings) {
  return settings.controlled_values == config::ControlledValues::kRequestsAndLimits;
}

/// Returns true if the change is large enough for a write, because each one disturbs the
/// measurement.
bool is_worthwhile(const ReplicaSize& now, const ReplicaSize& wanted, const Sizes& advice) {
  if (now == wanted) return false;
  return is_off(now.cpu, wanted.cpu) || is_off(now.memory, wanted.memory) ||
         is_off(now.memory_limit, wanted.memory_limit) ||
         is_outside(now.cpu, advice.lower_bound.cpu, advice.upper_bound.cpu) ||
         is_outside(now.memory, advice.lower_bound.memory, advice.upper_bound.memory);
}

template <class Amount>
std::optional<Amount> larger(const std::optional<Amount>& a, const std::optional<Amount>& b) {
  return a && b ? std::max(*a, *b) : (a ? a : b);
}

ReplicaSize only_grown(const ReplicaSize& now, const ReplicaSize& wanted) {
  return {larger(now.cpu, wanted.cpu), larger(now.memory, wanted.memory),
          larger(now.memory_limit, wanted.memory_limit)};
}

/// Keeps the memory while the usage is unknown.
ReplicaSize never_below_unknown_use(const ReplicaSize& wanted, const SizedReplica& replica) {
  if (replica.memory_use || replica.is_down) return wanted;
  ReplicaSize kept = wanted;
  kept.memory = larger(replica.size.memory, wanted.memory);
  // A replica without a limit gets none before its usage is known.
  kept.memory_limit = replica.size.memory_limit
                          ? larger(replica.size.memory_limit, wanted.memory_limit)
                          : std::nullopt;
  return kept;
}

template <class Amount>
void add_change(std::string& text, std::string_view what, const std::optional<Amount>& from,
                const std::optional<Amount>& to) {
  if (!to || from == to) return;
  if (!text.empty()) text += ", ";
  text += std::string(what) + " " + (from ? to_string(*from) + " -> " : "") + to_string(*to);
}

std::string change_text(const ReplicaSize& from, const ReplicaSize& to) {
  std::string text;
  add_change(text, "cpu", from.cpu, to.cpu);
  add_change(text, "memory", from.memory, to.memory);
  add_change(text, "limit", from.memory_limit, to.memory_limit);
  if (from.memory_limit && !to.memory_limit) {
    text += (text.empty() ? "" : ", ") + std::string("limit ") + to_string(*from.memory_limit) +
            " -> none";
  }
  return text;
}

/// Returns `size` with at most the `memory-limit` of the service, which holds whatever is written.
/// A higher size would be ordered again with each recommendation.
ReplicaSize within_limit(ReplicaSize size, const config::ResourcesSettings& settings) {
  const std::optional<Bytes>& limit = settings.memory_limit;
  if (!limit) return size;
  if (size.memory) size.memory = std::min(*size.memory, *limit);
  size.memory_limit = std::min(size.memory_limit.value_or(*limit), *limit);
  return size;
}

/// Returns why running replicas must not be resized now; empty: they may.
std::string hold_reason(const ScalingState& scaling) {
  if (scaling.is_panic) return "running replicas keep their size in panic mode";
  if (scaling.is_growing) return "running replicas keep their size while more are coming up";
  return {};
}

/// Returns why the sizes are only advice; empty: they are applied.
std::string advice_only(const SizingInput& input) {
  const config::ResourcesSettings& settings = input.settings;
  if (settings.mode == ResourcesMode::kOff) return "off: nothing is measured";
  if (settings.mode == ResourcesMode::kAdvise) return "advice only: resources-mode is advise";
  if (!settings.cpu && !settings.memory) {
    return "advice only: neither cpu nor memory is set, so there is no first request";
  }
  if (!input.cannot_write.empty()) return "advice only: " + input.cannot_write;
  return {};
}

class Planner {
 public:
  Planner(const SizingInput& input, TimePoint now)
      : input_(input), now_(now), held_(hold_reason(input.scaling)) {}

  SizingPlan plan() {
    SizingPlan plan;
    plan.note = advice_only(input_);
    if (!plan.note.empty()) return plan;
    wanted_ = desired_size(input_.settings, input_.advice);
    plan.for_new = for_new();
    for (const SizedReplica& replica : input_.replicas) {
      if (auto resize = resize_of(replica)) plan.resizes.push_back(*std::move(resize));
    }
    plan.note = waiting_.empty() ? limit_note() : std::move(waiting_);
    return plan;
  }

 private:
  /// Returns the size of new replicas. In panic mode they get at least the memory of earlier ones.
  ReplicaSize for_new() const {
    ReplicaSize size = with_safe_limit(wanted_, std::nullopt);
    if (input_.scaling.is_panic) {
      size.memory = larger(size.memory, input_.for_new.memory);
      if (sets_limits()) {
        size.memory_limit = larger(size.memory_limit, input_.for_new.memory_limit);
      }
    }
    return within_limit(size, input_.settings);
  }

  std::optional<Resize> resize_of(const SizedReplica& replica) {
    if (replica.is_leaving) return std::nullopt;
    if (input_.settings.mode == ResourcesMode::kInitial && !replica.is_down) return std::nullopt;
    ReplicaSize size = with_safe_limit(wanted_, replica.memory_use);
    size = never_below_unknown_use(size, replica);
    if (replica.is_down) size = only_grown(replica.size, size);
    size = with_safe_limit(size, replica.memory_use);
    if (!sets_limits()) size.memory_limit.reset();
    size = within_limit(size, input_.settings);
    const bool loses_limit = replica.size.memory_limit && !size.memory_limit && !sets_limits();
    if (!loses_limit && !is_worthwhile(replica.size, size, input_.advice)) return std::nullopt;
    if (!may_change(replica, size)) return std::nullopt;
    return Resize{replica.name, size, change_text(replica.size, size)};
  }

  bool sets_limits() const { return recommender::sets_limits(input_.settings); }

  std::string limit_note() const {
    const std::optional<Bytes>& limit = input_.settings.memory_limit;
    if (!limit || !wanted_.memory || *wanted_.memory <= *limit) return {};
    return "memory-limit " + to_string(*limit) + " keeps memory below " +
           to_string(*wanted_.memory);
  }

  /// Returns true if the size may change; otherwise it sets waiting_ to the reason.
  bool may_change(const SizedReplica& replica, const ReplicaSize& size) {
    if (replica.is_down) return true;
    if (!held_.empty()) {
      waiting_ = held_;
      return false;
    }
    const bool is_settling = replica.resized && now_ - *replica.resized < input_.settle;
    if (!is_settling || needs_more_memory(replica.size, size)) return true;
    waiting_ = replica.name.text() + " was resized recently: waiting for new measurements";
    return false;
  }

  const SizingInput& input_;
  const TimePoint now_;
  const std::string held_;
  ReplicaSize wanted_;
  std::string waiting_;
};

}  // namespace

SizingPlan plan_sizes(const SizingInput& input, TimePoint now) {
  return Planner(input, now).plan();
}

ReplicaSize desired_size(const config::ResourcesSettings& settings, const Sizes& advice) {
  ReplicaSize size;
  const Amounts& target = advice.target;
  if (settings.cpu) size.cpu = target.cpu ? target.cpu : settings.cpu;
  if (settings.memory) size.memory = target.memory ? target.memory : settings.memory;
  const std::optional<Bytes>& max = advice.upper_bound.memory;
  // VPA's maximum amount as an upper bound means that there is too little data for one.
  const bool is_known = max && max->value < kMaxAmount;
  if (settings.memory && is_known && sets_limits(settings)) size.memory_limit = max;
  return size;
}

ReplicaSize with_safe_limit(ReplicaSize size, std::optional<Bytes> use) {
  if (!size.memory_limit) return size;
  if (size.memory) size.memory_limit = std::max(*size.memory_limit, *size.memory);
  if (use) {
    const double min = std::ceil(static_cast<double>(use->value) * kLimitOverUse);
    size.memory_limit = std::max(*size.memory_limit, Bytes{static_cast<std::int64_t>(min)});
  }
  return size;
}

std::string to_string(const ReplicaSize& size) {
  const std::string text = change_text({}, size);
  return text.empty() ? "not governed" : text;
}

}  // namespace bellows::recommender
