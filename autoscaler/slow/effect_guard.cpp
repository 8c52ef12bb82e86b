#include "autoscaler/slow/effect_guard.hpp"

#include <algorithm>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

constexpr double kMoreReplicas = 1.3;
constexpr double kMoreThroughput = 1.1;
constexpr double kSlow = 1.5;
constexpr double kFastAgain = 1.2;
constexpr double kFaster = 0.9;
constexpr Duration kHistory = std::chrono::minutes(30);
constexpr std::size_t kMaxEffects = 60;

}  // namespace

void EffectGuard::add(const Effect& effect, double idle_time) {
  std::erase_if(effects_, [&](const Effect& old) {
    return old.at > effect.at || effect.at - old.at > kHistory;
  });
  if (effects_.size() >= kMaxEffects) effects_.erase(effects_.begin());
  const bool is_slow = idle_time > 0 && effect.time > kSlow * idle_time;
  if (is_ineffective_ && effect.time <= kFastAgain * idle_time) *this = {};
  for (const Effect& old : effects_) {
    if (effect.replicas < kMoreReplicas * old.replicas || old.throughput <= 0) continue;
    const bool has_helped =
        effect.throughput >= kMoreThroughput * old.throughput || effect.time < kFaster * old.time;
    if (has_helped) {
      if (is_ineffective_ && old.at >= before_.at) is_ineffective_ = false;
      continue;
    }
    if (!is_slow || is_ineffective_) continue;
    is_ineffective_ = true;
    before_ = old;
    target_before_ = std::max(old.target, effect.target);
  }
  effects_.push_back(effect);
}

EffectGuard EffectGuard::restored(std::vector<Effect> effects, bool is_ineffective,
                                  double target_before, const Effect& before) {
  EffectGuard guard;
  guard.effects_ = std::move(effects);
  guard.is_ineffective_ = is_ineffective;
  guard.target_before_ = target_before;
  guard.before_ = before;
  return guard;
}

}  // namespace bellows::autoscaler::slow
