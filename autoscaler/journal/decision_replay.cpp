#include "autoscaler/journal/decision_replay.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/core/rules/fresh_start.hpp"
#include "autoscaler/journal/decision_json.hpp"
#include "autoscaler/journal/field_json.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "json/seconds.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::autoscaler::journal {
namespace {

using json::Object;

constexpr Duration kDeadAfter = std::chrono::seconds(3);
constexpr json::Range kAmounts{0, metrics::kMaxConcurrency};
constexpr std::string_view kNotes =
    "a line has exactly one of spec, snapshot, stats, evaluate, restarted, shares, ended, and "
    "stable with panic";

/// Returns the key that defines the kind of the line.
Result<std::string_view> kind_of(const Object& line) {
  std::string_view found;
  for (const std::string_view key :
       {"spec", "snapshot", "stats", "evaluate", "stable", "restarted", "shares", "ended"}) {
    if (!line.has(key)) continue;
    if (!found.empty()) {
      return fail(
          line.invalid(key, "it not beside " + std::string(found) + ": " + std::string(kNotes)));
    }
    found = key;
  }
  if (!found.empty()) return found;
  return fail(ErrorKind::kMalformed, "line " + std::to_string(line.line()),
              "no key defines its kind: " + std::string(kNotes));
}

Result<double> amount(const Object& report, std::string_view key) {
  if (!report.has(key)) return 0.0;
  return report.number(key, kAmounts);
}

struct Report {
  metrics::Stat stat;
  LoadWindows::Amounts amounts;
};

/// Removes the part that passed an activator, which reports it itself.
Result<Report> report_of(const Object& object) {
  BELLOWS_TRY(std::string pod, object.text("pod"));
  BELLOWS_TRY(const double concurrency, object.number("concurrency", kAmounts));
  BELLOWS_TRY(const double proxied, amount(object, "proxied-concurrency"));
  BELLOWS_TRY(const double requests, amount(object, "requests"));
  BELLOWS_TRY(const double proxied_requests, amount(object, "proxied-requests"));
  BELLOWS_TRY(const double peak, amount(object, "peak"));
  Report report{.stat = {}, .amounts = {concurrency - proxied, requests - proxied_requests}};
  metrics::Stat& stat = report.stat;
  const bool is_activator = pod.starts_with("activator");
  stat.source = is_activator ? metrics::StatSource::kActivator : metrics::StatSource::kReplica;
  stat.pod = PodName(std::move(pod));
  stat.concurrency = std::max(0.0, report.amounts.concurrency);
  stat.peak = std::max(peak, stat.concurrency);
  stat.requests = static_cast<std::uint64_t>(std::max(0.0, report.amounts.requests) + 0.5);
  return report;
}

class Reader final : public replay::Filter {
 public:
  Result<void> take(const json::Object& line, std::string&) override {
    BELLOWS_TRY(auto decided, replay_.take(line));
    if (decided) {
      contents_.decisions.push_back(std::move(decided->decision));
      contents_.idle_times.push_back(replay_.idle_times());
    }
    if (line.has("service")) {
      BELLOWS_TRY(contents_.service, line.text("service"));
    }
    BELLOWS_CHECKED(take_revision(line));
    BELLOWS_CHECKED(take_end(line));
    return take_calendar(line);
  }

  JournalContents contents() && { return std::move(contents_); }

 private:
  Result<void> take_revision(const json::Object& line) {
    if (!line.has("revision")) return {};
    RevisionDecisions of{.first = contents_.decisions.size(), .revision = {}, .since = {}};
    BELLOWS_TRY(of.revision, line.text("revision"));
    if (line.has("revision-since")) {
      BELLOWS_TRY(const double since, line.number("revision-since", {0, json::kMaxSeconds}));
      of.since = WallTime(json::exact_seconds(since));
    }
    contents_.revisions.push_back(std::move(of));
    return {};
  }

  Result<void> take_end(const json::Object& line) {
    if (!line.has("ended")) return {};
    BELLOWS_TRY(const double at, line.number("at", {0, json::kMaxSeconds}));
    BELLOWS_TRY(const std::string how, line.text("ended"));
    contents_.ends.push_back(
        {.at = TimePoint(json::exact_seconds(at)), .is_stopped = how == "stopped"});
    return {};
  }

  Result<void> take_calendar(const json::Object& line) {
    if (!line.has("unix-seconds")) return {};
    const json::Range seconds{0, json::kMaxSeconds};
    BELLOWS_TRY(const double wall, line.number("unix-seconds", seconds));
    BELLOWS_TRY(const double at, line.number("at", seconds));
    contents_.wall_ahead = json::exact_seconds(wall) - json::exact_seconds(at);
    contents_.has_calendar = true;
    return {};
  }

  DecisionReplay replay_{"bellows"};
  JournalContents contents_;
};

}  // namespace

Result<std::optional<DecisionReplay::Decided>> DecisionReplay::take(const Object& line) {
  BELLOWS_CHECKED(reset_if_asked(line));
  BELLOWS_TRY(const std::string_view kind, kind_of(line));
  BELLOWS_TRY(const replay::Instant at, clock_.advance(line));
  BELLOWS_CHECKED(take_ready(line));
  std::optional<Decided> decided;
  if (kind == "restarted" || kind == "shares" || kind == "ended") return decided;  // for people
  if (kind == "spec") {
    BELLOWS_CHECKED(specify(line, at.time));
  } else if (kind == "snapshot") {
    BELLOWS_CHECKED(restore(line, at.time));
  } else if (!decider_) {
    return fail(line.invalid(kind, "a line {\"at\":0,\"spec\":{...}} before it"));
  } else if (kind == "stats") {
    BELLOWS_CHECKED(record(line, at.time));
  } else {
    BELLOWS_TRY(Decision decision, evaluate(line, kind == "stable", at.time));
    decided = Decided{at.seconds, std::move(decision)};
  }
  return decided;
}

Result<void> DecisionReplay::reset_if_asked(const Object& line) {
  if (!line.has("new")) return {};
  BELLOWS_TRY(const bool is_new, line.flag("new"));
  if (is_new) *this = DecisionReplay(profile_);
  return {};
}

Result<void> DecisionReplay::take_ready(const Object& line) {
  if (!line.has("ready")) return {};
  BELLOWS_TRY(const std::int64_t ready, line.integer("ready", 0, kMaxReplicas));
  ready_ = static_cast<PodCount>(ready);
  return {};
}

Result<void> DecisionReplay::specify(const Object& line, TimePoint at) {
  BELLOWS_TRY(Spec spec, spec_reader_.take(line));
  if (decider_) {
    decider_->windows.follow(spec.settings, at);
    decider_->spec = std::move(spec);
    return {};
  }
  DeciderState state = snapshot_ ? std::move(*snapshot_) : first_state(spec, at);
  has_decided_ = snapshot_.has_value();
  LoadWindows windows(spec.settings, kDeadAfter);
  decider_ =
      Decider{std::move(spec), std::move(state), std::move(windows), ActivatorQueues(kDeadAfter)};
  return {};
}

DeciderState DecisionReplay::first_state(const Spec& spec, TimePoint at) const {
  Observation seen;
  seen.ready = seen.requested = ready_.value_or(0);
  seen.is_reachable = spec.is_reachable;
  return begin(spec.scaling(), seen, at);
}

Result<void> DecisionReplay::restore(const Object& line, TimePoint at) {
  BELLOWS_TRY(const Object object, line.object("snapshot"));
  BELLOWS_TRY(DeciderState state, read_state(object, at));
  if (decider_) {
    decider_->state = std::move(state);
    has_decided_ = true;
  } else {
    snapshot_ = std::move(state);
  }
  return {};
}

Result<void> DecisionReplay::record(const Object& line, TimePoint at) {
  BELLOWS_TRY(const std::vector<Object> objects, line.objects("stats"));
  for (const Object& object : objects) {
    BELLOWS_TRY(Report report, report_of(object));
    report.stat.sequence = ++reports_;
    decider_->windows.record(report.stat, report.amounts, at);
    // Knative's own averages contain the activators' reports and decide alone.
    const bool are_averages_all =
        decider_->spec.settings.rules.average_rounding == config::AverageRounding::kSixDecimals;
    if (report.stat.source == metrics::StatSource::kActivator && !are_averages_all) {
      decider_->queues.record(report.stat.pod, report.stat.concurrency, at);
    }
  }
  return {};
}

Result<Decision> DecisionReplay::evaluate(const Object& line, bool is_given, TimePoint at) {
  const ScalingSpec spec = decider_->spec.scaling();
  if (!is_given && line.flag("evaluate") != true) return fail(line.invalid("evaluate", "true"));
  Observation seen = look(is_given, at);
  BELLOWS_CHECKED(read_seen(line, at, seen));
  if (!has_decided_ && !line.has("requested")) seen.requested += seen.starting;
  if (is_given) {
    BELLOWS_CHECKED(read_given_averages(line, spec, seen));
  }
  Decision decision = decide(spec, seen, decider_->state, at);
  remember(decider_->state, decision);
  has_decided_ = true;
  return decision;
}

/// Returns the observation of a line without values: the last decision was ordered, and, if the
/// averages are given, all ready replicas report.
Observation DecisionReplay::look(bool is_given, TimePoint at) {
  Observation seen;
  if (is_given) {
    seen.observed = seen.in_window = ready_.value_or(0);
  } else {
    seen = decider_->windows.view(at);
    seen.waiting = decider_->queues.waiting(at);
  }
  seen.ready = ready_.value_or(seen.observed);
  seen.observed = std::min(seen.observed, seen.ready);
  seen.not_reporting = seen.ready - seen.observed;
  seen.requested = has_decided_ ? decider_->state.replicas : ready_.value_or(0);
  seen.is_reachable = decider_->spec.is_reachable;
  return seen;
}

Result<JournalContents> read_journal(std::istream& lines) {
  Reader reader;
  std::ostream nowhere(nullptr);
  BELLOWS_CHECKED(replay::feed(reader, lines, nowhere));
  return std::move(reader).contents();
}

}  // namespace bellows::autoscaler::journal
