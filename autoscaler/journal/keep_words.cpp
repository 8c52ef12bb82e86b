#include "autoscaler/journal/keep_words.hpp"

#include <algorithm>
#include <vector>

#include "autoscaler/core/keep_alive.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::journal {
namespace {

bool is_learned(const Decision& decision) {
  return decision.spec.rules.keep_alive == config::KeepAlive::kLearned;
}

std::string span_text(float seconds) {
  return duration_text(std::chrono::seconds(static_cast<std::int64_t>(seconds + 0.5F)));
}

bool is_worth_keeping_at(const Decision& decision, const Gaps& gaps, TimePoint at) {
  const Since since{.last = at - decision.after.last_load, .first = at - gaps.begun()};
  const Duration start = decision.seen.start_time.value_or(Duration::zero());
  return is_worth_keeping(decision.spec, gaps, since, start);
}

/// The first turn from the decision on at which one is worth keeping, or is not.
std::optional<TimePoint> first_turn(const Decision& decision, const Gaps& gaps, bool is_kept) {
  if (!is_learned(decision)) return std::nullopt;
  constexpr Duration kFarAhead = std::chrono::hours(24);
  for (TimePoint at = decision.at; at < decision.at + kFarAhead; at += kEvaluationPeriod) {
    if (is_worth_keeping_at(decision, gaps, at) == is_kept) return at;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> gaps_words(const Decision& decision, const Gaps& gaps) {
  std::vector<float> known(gaps.gaps().begin(), gaps.gaps().end());
  if (!is_learned(decision) || known.empty()) return std::nullopt;
  std::ranges::sort(known);
  if (known.size() == 1) return "its last gap between calls (" + span_text(known.front()) + ")";
  const float half = known[(known.size() - 1) / 2];
  return "its last " + std::to_string(known.size()) + " gaps between calls (" +
         span_text(known.front()) + " to " + span_text(known.back()) + ", half of them at most " +
         span_text(half) + ")";
}

std::optional<TimePoint> end_of_keeping(const Decision& decision, const Gaps& gaps) {
  return first_turn(decision, gaps, false);
}

std::optional<TimePoint> next_start_ahead(const Decision& decision, const Gaps& gaps) {
  if (gaps.gaps().empty()) return std::nullopt;
  return first_turn(decision, gaps, true);
}

}  // namespace bellows::autoscaler::journal
