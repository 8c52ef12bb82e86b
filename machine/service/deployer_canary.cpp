// Deploys by steps: the shares of a revision grow, or go back.
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/log.hpp"
#include "machine/service/deployer.hpp"

namespace bellows::machine {
namespace {

namespace log = sys::log;
using machine::Canary;
using machine::CanaryPlan;
using machine::revision_id;
using machine::ServiceChange;
using machine::ServiceRecord;
using machine::Stage;

/// Between two tries to go back, of which the first has failed: a disk that was full.
constexpr Duration kTryAgain = std::chrono::seconds(5);

/// "5% -> 25% -> 100%, 2m each".
std::string plan_text(const CanaryPlan& plan) {
  std::string text;
  for (const std::int32_t share : plan.shares) {
    text += (text.empty() ? "" : " -> ") + std::to_string(share) + "%";
  }
  return text + ", " + duration_text(plan.step) + " each, at least " +
         std::to_string(plan.min_requests) + " requests";
}

}  // namespace

Result<ServiceAnswer> Deployer::begin_canary(const ServiceRecord& record,
                                             const ServiceChange& change,
                                             const ServiceOrder& order) {
  const std::string name = record.name.text();
  BELLOWS_CHECKED(machine::check(*order.canary));
  if (!change.content) {
    return fail(ErrorKind::kInvalidSetting, "canary",
                "these settings take effect at once and make no revision; want none");
  }
  ServiceRecord next = record;
  const machine::Number number = machine::revision_for(next, *change.content).number;
  if (next.find(number)->share > 0) {
    return fail(
        ErrorKind::kInvalidSetting, "canary",
        revision_id(record.name, number).text() + " gets requests already; want `bellows split`");
  }
  ServiceAnswer answer{.lines = {change.text, name + ": canary: " + plan_text(*order.canary)},
                       .rolling_out = {}};
  if (order.dry_run) return answer;
  if (change.route) next.route = *change.route;
  CanaryRun run{.canary = Canary(*order.canary, revision_id(record.name, number).text()),
                .number = number,
                .before = record.shares(),
                .began = clock_.now()};
  next.before_canary = run.before;
  const machine::Shares first = machine::with_share(run.before, number, run.canary.share());
  BELLOWS_CHECKED(begin(std::move(next), first, order, answer));
  canaries_.insert_or_assign(record.name, std::move(run));
  return answer;
}

Deployer::CanaryRun* Deployer::running_canary(const RevisionId& service) {
  const auto found = canaries_.find(service);
  return found == canaries_.end() || found->second.canary.is_over() ? nullptr : &found->second;
}

machine::Served Deployer::served(const RevisionId& service, const CanaryRun& run) const {
  const auto& limit = run.canary.plan().max_latency;
  return options_.served(revision_id(service, run.number),
                         limit ? limit->at_most : Duration::max());
}

void Deployer::look(const RevisionId& service, CanaryRun& run) {
  if (run.canary.is_over()) return go_back_again(service, run);
  const TimePoint now = clock_.now();
  if (run.canary.stage() == Canary::Stage::kShifting) {
    const machine::Rollout& rollout = rollouts_.at(service).rollout;
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
  log::warning("canary goes back",
               {{"service", service.text()}, {"because", run.canary.message(now)}});
  go_back_again(service, run);
}

/// Its revision keeps a share that it must not have.
bool Deployer::has_to_go_back(const RevisionId& service, const CanaryRun& run) const {
  if (run.canary.stage() != Canary::Stage::kBack) return false;
  const auto record = records_.find(service);
  if (record == records_.end() || record->second.is_removed()) return false;
  return !record->second.before_canary.empty() || record->second.shares() != run.before;
}

/// Until it did: what hinders it, as a state file that cannot be written, may pass.
void Deployer::go_back_again(const RevisionId& service, CanaryRun& run) {
  const TimePoint now = clock_.now();
  if (now < run.try_again_at || !has_to_go_back(service, run)) return;
  if (!rollouts_.at(service).rollout.is_over()) return;
  run.try_again_at = now + kTryAgain;
  ServiceAnswer answer;
  if (const auto back = go_back(service, run.before, kCanary, answer); !back) {
    log::error(
        "the canary cannot go back; it tries again",
        {{"service", service.text()}, {"after", kTryAgain}, {"error", to_string(back.error())}});
  }
}

/// To the next share. With the last one there is nothing to go back to any more.
void Deployer::shift(const RevisionId& service, CanaryRun& run) {
  ServiceRecord next = records_.at(service);
  if (run.canary.share() == 100) next.before_canary.clear();
  ServiceOrder order;
  order.cause = kCanary;
  ServiceAnswer answer;
  const auto begun =
      begin(std::move(next), machine::with_share(run.before, run.number, run.canary.share()), order,
            answer);
  if (!begun) run.canary.end(to_string(begun.error()));
}

/// To the shares before it; `cause`: of that change.
Result<void> Deployer::go_back(const RevisionId& service, const machine::Shares& before,
                               std::string_view cause, ServiceAnswer& answer) {
  ServiceRecord next = records_.at(service);
  next.before_canary.clear();
  if (next.shares() != before) {
    ServiceOrder order;
    order.cause = cause;
    return begin(std::move(next), before, order, answer);
  }
  next.under_way.clear();
  BELLOWS_CHECKED(state_.save({{service, next}}));
  keep({{service, std::move(next)}});
  return {};
}

/// `bellows rollback` while it is under way.
Result<ServiceAnswer> Deployer::end_canary(const RevisionId& service, const CanaryRun& run,
                                           const ServiceOrder& order) {
  const ServiceRecord& record = records_.at(service);
  const machine::Shares before = run.before;
  ServiceAnswer answer{
      .lines = {service.text() + ": the canary of " + revision_id(service, run.number).text() +
                " ends, " + shares_text(record, record.shares()) + " -> " +
                shares_text(record, before)},
      .rolling_out = {}};
  if (order.dry_run) return answer;
  Running& running = rollouts_.at(service);
  if (!running.rollout.is_over()) {
    running.rollout.fail("it was rolled back", clock_.now());
    give_up(running, running.rollout.message());
  }
  canaries_.erase(service);
  log::info("canary rolled back", {{"service", service.text()}});
  BELLOWS_CHECKED(go_back(service, before, order.cause, answer));
  return answer;
}

/// Of the last change of shares; of a canary all of them together.
Deployer::Progress Deployer::progress(const RevisionId& service, const Running& running) const {
  const TimePoint now = clock_.now();
  const machine::Rollout& rollout = running.rollout;
  const auto canary = canaries_.find(service);
  if (canary == canaries_.end()) {
    return {.cause = rollout.plan().cause,
            .stage = to_string(rollout.stage()),
            .message = rollout.message(),
            .took = rollout.took(now)};
  }
  const CanaryRun& run = canary->second;
  const bool is_back = run.canary.stage() == Canary::Stage::kBack;
  const bool is_under_way = !run.canary.is_over() || (is_back && !rollout.is_over());
  Progress progress{.cause = kCanary,
                    .stage = is_under_way ? kCanary
                             : is_back    ? "failed"
                                          : "done",
                    .message = run.canary.message(now),
                    .took = run.ended.value_or(now) - run.began};
  if (run.canary.stage() == Canary::Stage::kShifting) progress.message += ", " + rollout.message();
  if (!run.canary.is_over()) progress.goes_back_if = run.canary.watches();
  progress.share = run.canary.share();
  progress.is_in_force = run.canary.stage() == Canary::Stage::kWatching;
  return progress;
}

void Deployer::write_rollout(json::Writer& out, const RevisionId& service,
                             PageDetail detail) const {
  const auto running = rollouts_.find(service);
  if (running == rollouts_.end()) return;
  const Progress made = progress(service, running->second);
  out.open("rollout")
      .text("cause", made.cause)
      .text("stage", made.stage)
      .text("message", made.message)
      .number("seconds", to_seconds(made.took));
  if (made.share) out.integer("share", *made.share).flag("in_force", made.is_in_force);
  out.open_list("last_lines");
  if (detail == PageDetail::kShown) {
    for (const std::string& line : running->second.last_lines) out.text(line);
  }
  out.close().close();
}

std::string Deployer::under_way() const {
  json::Writer out;
  bool is_empty = true;
  out.open_list("under_way");
  for (const auto& [service, running] : rollouts_) {
    const auto canary = canaries_.find(service);
    const bool is_over =
        running.rollout.is_over() && (canary == canaries_.end() || canary->second.canary.is_over());
    if (is_over) continue;
    const Progress made = progress(service, running);
    is_empty = false;
    out.open()
        .text("service", service.text())
        .text("cause", made.cause)
        .text("message", made.message)
        .integer("age_ms", to_milliseconds(made.took));
    if (!made.goes_back_if.empty()) out.text("goes_back_if", made.goes_back_if);
    out.close();
  }
  return is_empty ? "" : out.close().end();
}

}  // namespace bellows::machine
