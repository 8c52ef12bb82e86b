#include "autoscaler/service/live_events.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "autoscaler/history/chart.hpp"
#include "autoscaler/service/revision_history.hpp"
#include "cluster/core/not_ready.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

/// Feeds that are read within this time of each other share the rows.
constexpr Duration kRowsAge = std::chrono::milliseconds(500);

/// A service as the list of all services shows it: sums over its revisions, and the words of the
/// one that gets most requests.
class ServiceRow {
 public:
  void add(const ScaledRevision& revision, const ScaleApplier& applier);

  /// Returns the members of the status, under the same names, and `traffic`.
  std::string json(const RevisionId& service, const TrafficOf& traffic) const;

 private:
  /// Of the leading revision. A sleeping one is valid while it is visited only.
  struct Words {
    std::int32_t share = -1;
    std::string_view state;
    bool is_paused = false;
    double target = 0;
    std::string trouble;
    std::string not_ready;
    std::int64_t failed_starts = 0;
    std::string start_failure;
    std::string rejected;
  };

  double stable_ = 0;
  double panic_ = 0;
  double in_flight_ = 0;
  double capacity_ = 0;
  PodCount desired_ = 0;
  PodCount ready_ = 0;
  PodCount starting_ = 0;
  std::uint64_t waiting_ = 0;
  std::optional<cluster::Usage> used_;  // nullopt: unknown
  std::vector<RevisionId> revisions_;
  bool is_panic_ = false;
  Words leading_;
};

void ServiceRow::add(const ScaledRevision& revision, const ScaleApplier& applier) {
  const cluster::Revision& listed = revision.observed.listed();
  const Observation seen = revision.journal.last_seen().value_or(Observation());
  PodCount ready = 0;
  for (const cluster::ReplicaPtr& replica : listed.replicas) {
    using Phase = cluster::ReplicaPhase;
    const Phase phase = replica->phase;
    if (phase == Phase::kReady) ++ready;
    if (phase == Phase::kPending || phase == Phase::kStarting || phase == Phase::kFailed) {
      ++starting_;
    }
    in_flight_ += revision.observed.in_flight(replica->name).value_or(0);
    if (replica->usage) {
      if (!used_) used_.emplace();
      used_->cpu.value += replica->usage->cpu.value;
      used_->memory.value += replica->usage->memory.value;
    }
  }
  revisions_.push_back(listed.id);
  in_flight_ += static_cast<double>(seen.waiting);
  capacity_ += static_cast<double>(ready) * revision.spec.target;
  ready_ += ready;
  desired_ += revision.state.replicas;
  waiting_ += seen.waiting;
  stable_ += seen.stable.total;
  panic_ += seen.panic.total;
  is_panic_ = is_panic_ || revision.state.mode() == Mode::kPanic;
  if (listed.share < leading_.share) return;
  const StartFailures& failed = revision.failed_starts;
  leading_ = {.share = listed.share,
              .state = to_string(revision.serving_state()),
              .is_paused = listed.is_paused(),
              .target = revision.spec.target,
              .trouble = listed.failure_message,
              .not_ready = cluster::not_ready_because(listed),
              .failed_starts = failed.count(),
              .start_failure = failed.count() > 0 ? failed.last() : std::string(),
              .rejected = applier.trouble(revision.id())};
}

std::string ServiceRow::json(const RevisionId& service, const TrafficOf& traffic) const {
  json::Writer row;
  row.text("name", service.text()).text("state", leading_.state);
  if (leading_.is_paused) row.flag("paused", true);
  row.text("mode", to_string(is_panic_ ? Mode::kPanic : Mode::kStable));
  row.number("stable_concurrency", stable_).number("panic_concurrency", panic_);
  row.number("target", leading_.target).number("in_flight", in_flight_);
  row.number("capacity", capacity_).integer("desired", desired_).integer("ready", ready_);
  row.integer("starting", starting_).integer("waiting", waiting_);
  if (used_) {
    row.open("usage").integer("cpu_millicores", used_->cpu.value);
    row.integer("memory_bytes", used_->memory.value).close();
  }
  const std::string requests = traffic ? traffic(revisions_) : std::string();
  if (!requests.empty()) row.raw("traffic", requests);
  if (!leading_.trouble.empty()) row.text("trouble", leading_.trouble);
  if (!leading_.not_ready.empty()) row.text("not_ready", leading_.not_ready);
  if (leading_.failed_starts > 0) {
    row.open("failed_starts").integer("count", leading_.failed_starts);
    row.text("last", leading_.start_failure).close();
  }
  if (!leading_.rejected.empty()) row.text("scaling_trouble", leading_.rejected);
  return row.end();
}

}  // namespace

/// One open page.
class LiveEvents::Feed final : public http::EventFeed {
 public:
  Feed(LiveEvents& events, RevisionId service) : events_(events), service_(std::move(service)) {
    ++events_.feeds_;
  }
  ~Feed() override { --events_.feeds_; }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  std::string next() override {
    std::string text;
    append_services(text);
    if (!service_.empty()) append_service(text);
    return text;
  }

 private:
  void append_services(std::string& text);
  void append_service(std::string& text);
  std::string changed_rows();
  std::string removed_names();

  LiveEvents& events_;
  const RevisionId service_;
  Rows told_;
  std::optional<Decision> last_;  // the last one sent
};

/// Returns the rows that differ from the sent ones, as a list; empty: none.
std::string LiveEvents::Feed::changed_rows() {
  std::string list;
  for (const auto& [id, row] : events_.rows()) {
    std::string& told = told_[id];
    if (told == row) continue;
    list += (list.empty() ? "" : ",") + row;
    told = row;
  }
  return list;
}

/// Returns the removed names of sent rows, likewise.
std::string LiveEvents::Feed::removed_names() {
  std::string list;
  const Rows& rows = events_.rows();
  for (auto told = told_.begin(); told != told_.end();) {
    if (rows.contains(told->first)) {
      ++told;
      continue;
    }
    if (!list.empty()) list += ',';
    json::append_string(told->first.text(), list);
    told = told_.erase(told);
  }
  return list;
}

/// Sends it every second, so that a page knows that its data is current.
void LiveEvents::Feed::append_services(std::string& text) {
  const auto& machine_of = events_.additions_.machine;
  const std::string machine = machine_of ? machine_of() : std::string();
  const std::string changed = changed_rows();
  const std::string removed = removed_names();
  json::Writer event;
  event.integer("now", to_milliseconds(events_.clock_.wall_now().time_since_epoch()));
  if (!machine.empty()) event.raw("machine", machine);
  event.raw("services", "[" + changed + "]").raw("removed", "[" + removed + "]");
  http::append_event("services", event.end(), text);
}

/// Returns the decisions that the client does not have, and all revisions, the one with most
/// requests first.
void LiveEvents::Feed::append_service(std::string& text) {
  const auto history = RevisionHistory::of(events_.registry_, service_);
  if (!history) return;
  const TimePoint now = events_.clock_.now();
  const Duration wall = events_.clock_.wall_now().time_since_epoch();
  history::Chart chart(Duration::zero(), wall - now.time_since_epoch());
  if (last_) chart.begin_after(*last_);
  for (JournalEntry& entry : history->leading().journal.entries()) {
    if (last_ && entry.decision.at <= last_->at) continue;
    chart.add(entry.decision);
    last_ = std::move(entry.decision);
  }
  json::Writer event;
  event.integer("now", to_milliseconds(wall)).text("name", service_.text());
  std::string revisions;
  const auto add = [&](const ScaledRevision& revision) {
    revisions +=
        (revisions.empty() ? "" : ",") +
        revision_status_json(revision, events_.applier_, now, events_.additions_.resources);
  };
  add(history->leading());
  for (const RevisionId& other : history->others()) {
    const ScaledRevision* const revision = events_.registry_.find_awake(other);
    if (revision != nullptr) add(*revision);
  }
  event.raw("revisions", "[" + revisions + "]").raw("chart", chart.json());
  http::append_event("service", event.end(), text);
}

LiveEvents::LiveEvents(const RevisionRegistry& registry, const ScaleApplier& applier,
                       const sys::Clock& clock, const StatusAdditions& additions)
    : registry_(registry), applier_(applier), clock_(clock), additions_(additions) {}

void LiveEvents::add_routes(http::ServiceServer& server) {
  server.events("/v1/events",
                [this](const http::Request& request) -> std::unique_ptr<http::EventFeed> {
                  if (feeds_ >= kMaxFeeds) return nullptr;
                  return std::make_unique<Feed>(*this, RevisionId(request.parameter("service")));
                });
}

const LiveEvents::Rows& LiveEvents::rows() {
  const TimePoint now = clock_.now();
  if (!rows_.empty() && now - rows_at_ < kRowsAge) return rows_;
  rows_.clear();
  std::map<RevisionId, ServiceRow> services;
  registry_.for_each([&](const RevisionId& /*id*/, const ScaledRevision& revision) {
    services[revision.observed.listed().service_id()].add(revision, applier_);
  });
  for (const auto& [service, row] : services)
    rows_.emplace(service, row.json(service, additions_.traffic));
  rows_at_ = now;
  return rows_;
}

}  // namespace bellows::autoscaler
