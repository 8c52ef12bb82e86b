#include "autoscaler/service/live_events.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "autoscaler/history/chart.hpp"
#include "autoscaler/service/revision_history.hpp"
#include "autoscaler/service/service_row.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

/// Feeds that are read within this time of each other share the rows.
constexpr Duration kRowsAge = std::chrono::milliseconds(500);

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
  std::optional<Decision> last_;         // the last one sent
  std::optional<TimePoint> told_until_;  // changes of shares before it were sent
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
  if (!history || !history->is_listed()) return;
  const TimePoint now = events_.clock_.now();
  const Duration wall = events_.clock_.wall_now().time_since_epoch();
  history::Chart chart(Duration::zero(), wall - now.time_since_epoch());
  if (last_) chart.begin_after(*last_);
  for (JournalEntry& entry : history->leading().journal.entries()) {
    if (last_ && entry.decision.at <= last_->at) continue;
    chart.add(entry.decision);
    last_ = std::move(entry.decision);
  }
  // What was before the first event, the client asks for.
  chart.add_changes(history->changes(TimePoint::min()), told_until_.value_or(now), now);
  told_until_ = now + Duration(1);
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
