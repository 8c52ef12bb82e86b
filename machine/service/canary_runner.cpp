#include "machine/service/canary_runner.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;

/// The time between two attempts to roll back, if the first one failed: for instance with a full
/// disk.
constexpr Duration kTryAgain = std::chrono::seconds(5);

ServiceOrder order_because(std::string_view cause) {
  ServiceOrder order;
  order.cause = cause;
  return order;
}

}  // namespace

Result<void> CanaryRunner::begin(ServiceRecord next, Number number, const ServiceOrder& order) {
  const RevisionId service = next.name;
  RunningCanary run{.canary = Canary(*order.canary, revision_id(service, number).text()),
                    .number = number,
                    .before = next.shares(),
                    .began = clock_.now()};
  next.before_canary = run.before;
  const Shares first = with_share(run.before, number, run.canary.share());
  runs_.erase(service);
  BELLOWS_CHECKED(rollouts_.begin(std::move(next), first, order));
  runs_.emplace(service, std::move(run));
  return {};
}

Served CanaryRunner::served(const RevisionId& service, const RunningCanary& run) const {
  const auto& limit = run.canary.plan().max_latency;
  return served_(revision_id(service, run.number), limit ? limit->at_most : Duration::max());
}

void CanaryRunner::look() {
  for (auto& [service, run] : runs_) look(service, run);
}

void CanaryRunner::look(const RevisionId& service, RunningCanary& run) {
  if (run.canary.is_over()) return go_back_again(service, run);
  const TimePoint now = clock_.now();
  if (run.canary.stage() == Canary::Stage::kShifting) {
    const Rollout& rollout = rollouts_.find(service)->rollout;
    if (!rollout.is_over()) return;
    if (rollout.stage() == Stage::kFailed) {
      run.canary.end(rollout.message());
    } else {
      run.canary.in_force(served(service, run), now);
      log::info("canary", {{"service", service.text()}, {"state", run.canary.message(now)}});
    }
  } else if (run.canary.look(served(service, run), now) == Canary::Stage::kShifting) {
    shift(service, run);
  }
  if (!run.canary.is_over()) return;
  run.ended = now;
  if (run.canary.stage() == Canary::Stage::kDone) return;
  log::warning("canary rolls back",
               {{"service", service.text()}, {"because", run.canary.message(now)}});
  go_back_again(service, run);
}

/// Returns true if its revision keeps a share that it must not have.
bool CanaryRunner::has_to_go_back(const RevisionId& service, const RunningCanary& run) const {
  if (run.canary.stage() != Canary::Stage::kBack) return false;
  const ServiceRecord* const record = store_.find(service);
  if (record == nullptr || record->is_removed()) return false;
  return !record->before_canary.empty() || record->shares() != run.before;
}

/// Retries until it succeeds, because the cause, such as a state file that cannot be written, may
/// end.
void CanaryRunner::go_back_again(const RevisionId& service, RunningCanary& run) {
  const TimePoint now = clock_.now();
  if (now < run.try_again_at || !has_to_go_back(service, run)) return;
  if (rollouts_.is_under_way(service)) return;
  run.try_again_at = now + kTryAgain;
  if (const auto back = go_back(service, run.before, kCanary); !back) {
    log::error(
        "the canary cannot roll back; it is retried",
        {{"service", service.text()}, {"after", kTryAgain}, {"error", to_string(back.error())}});
  }
}

/// Shifts to the next share. After the last one it cannot roll back any more.
void CanaryRunner::shift(const RevisionId& service, RunningCanary& run) {
  ServiceRecord next = *store_.find(service);
  if (run.canary.share() == kWhole) next.before_canary.clear();
  const auto begun =
      rollouts_.begin(std::move(next), with_share(run.before, run.number, run.canary.share()),
                      order_because(kCanary));
  if (!begun) run.canary.end(to_string(begun.error()));
}

/// Returns to the shares before it; `cause`: of that change.
Result<bool> CanaryRunner::go_back(const RevisionId& service, const Shares& before,
                                   std::string_view cause) {
  ServiceRecord next = *store_.find(service);
  next.before_canary.clear();
  if (next.shares() != before) {
    BELLOWS_CHECKED(rollouts_.begin(std::move(next), before, order_because(cause)));
    return true;
  }
  next.under_way.clear();
  BELLOWS_CHECKED(store_.change({{service, std::move(next)}}));
  return false;
}

Result<bool> CanaryRunner::roll_back(const RevisionId& service, const ServiceOrder& order) {
  const Shares before = runs_.at(service).before;
  rollouts_.end(service, "it was rolled back");
  runs_.erase(service);
  log::info("canary rolled back", {{"service", service.text()}});
  return go_back(service, before, order.cause);
}

bool CanaryRunner::has_work() const {
  return std::ranges::any_of(runs_, [this](const auto& entry) {
    return !entry.second.canary.is_over() || has_to_go_back(entry.first, entry.second);
  });
}

const RunningCanary* CanaryRunner::find(const RevisionId& service) const {
  const auto found = runs_.find(service);
  return found == runs_.end() ? nullptr : &found->second;
}

const RunningCanary* CanaryRunner::under_way(const RevisionId& service) const {
  const RunningCanary* const run = find(service);
  return run == nullptr || run->canary.is_over() ? nullptr : run;
}

}  // namespace bellows::machine
