#include "autoscaler/service/live_events.hpp"

#include <optional>
#include <utility>

#include "autoscaler/history/chart.hpp"
#include "cluster/core/not_ready.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

/// Feeds that are read within this time of each other share the rows.
constexpr Duration kRowsAge = std::chrono::milliseconds(500);

/// Returns the members of the status that a list of all services shows, under the same names.
std::string row_of(const ScaledRevision& revision, const ScaleApplier& applier) {
  const cluster::Revision& listed = revision.observed.listed();
  const Observation seen = revision.journal.last_seen().value_or(Observation());
  double in_flight = static_cast<double>(seen.waiting);
  PodCount ready = 0;
  PodCount starting = 0;
  for (const cluster::ReplicaPtr& replica : listed.replicas) {
    using Phase = cluster::ReplicaPhase;
    const Phase phase = replica->phase;
    if (phase == Phase::kReady) ++ready;
    if (phase == Phase::kPending || phase == Phase::kStarting || phase == Phase::kFailed) {
      ++starting;
    }
    in_flight += revision.observed.in_flight(replica->name).value_or(0);
  }
  json::Writer row;
  row.text("name", revision.id().text()).text("state", to_string(revision.serving_state()));
  if (listed.is_paused()) row.flag("paused", true);
  row.text("mode", to_string(revision.state.mode()));
  row.number("stable_concurrency", seen.stable.total);
  row.number("panic_concurrency", seen.panic.total);
  row.number("target", revision.spec.target).number("in_flight", in_flight);
  row.integer("desired", revision.state.replicas).integer("ready", ready);
  row.integer("starting", starting).integer("waiting", seen.waiting);
  if (!listed.failure_message.empty()) row.text("trouble", listed.failure_message);
  const std::string not_ready = cluster::not_ready_because(listed);
  if (!not_ready.empty()) row.text("not_ready", not_ready);
  if (const StartFailures& failed = revision.failed_starts; failed.count() > 0) {
    json::Writer starts;
    starts.integer("count", failed.count()).text("last", failed.last());
    row.raw("failed_starts", starts.end());
  }
  const std::string rejected = applier.trouble(revision.id());
  if (!rejected.empty()) row.text("scaling_trouble", rejected);
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
  event.raw("revisions", "[" + changed + "]").raw("removed", "[" + removed + "]");
  http::append_event("services", event.end(), text);
}

/// Returns the decisions that the journal has and the client does not.
void LiveEvents::Feed::append_service(std::string& text) {
  const ScaledRevision* const revision = events_.registry_.find(service_);
  if (revision == nullptr) return;
  const TimePoint now = events_.clock_.now();
  const Duration wall = events_.clock_.wall_now().time_since_epoch();
  history::Chart chart(Duration::zero(), wall - now.time_since_epoch());
  if (last_) chart.begin_after(*last_);
  for (JournalEntry& entry : revision->journal.entries()) {
    if (last_ && entry.decision.at <= last_->at) continue;
    chart.add(entry.decision);
    last_ = std::move(entry.decision);
  }
  json::Writer event;
  event.integer("now", to_milliseconds(wall));
  event.raw("revision",
            revision_status_json(*revision, events_.applier_, now, events_.additions_.resources));
  event.raw("chart", chart.json());
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
  registry_.for_each([&](const RevisionId& id, const ScaledRevision& revision) {
    rows_.emplace(id, row_of(revision, applier_));
  });
  rows_at_ = now;
  return rows_;
}

}  // namespace bellows::autoscaler
