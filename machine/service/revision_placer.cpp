#include "machine/service/revision_placer.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/core/not_ready.hpp"

namespace bellows::machine {

namespace log = sys::log;

RevisionPlacer::RevisionPlacer(cluster::RevisionHost& host, const sys::Clock& clock,
                               PlacerWorld world)
    : host_(host), clock_(clock), world_(std::move(world)) {}

bool RevisionPlacer::is_retired(const RevisionId& id) const {
  const cluster::RevisionPtr listed = host_.revisions().find(id);
  return listed != nullptr && listed->is_retired();
}

bool RevisionPlacer::is_retired(const ServiceRecord& service) const {
  return !service.revisions.empty() &&
         std::ranges::all_of(service.revisions, [&](const RevisionRecord& revision) {
           return revision.share == 0 || is_retired(revision_id(service.name, revision.number));
         });
}

PodCount RevisionPlacer::ready(const RevisionId& id) const {
  const cluster::RevisionPtr listed = host_.revisions().find(id);
  return listed == nullptr ? 0 : listed->count(cluster::ReplicaPhase::kReady);
}

std::optional<double> RevisionPlacer::demand(const RevisionId& id) const {
  return world_.demand ? world_.demand(id) : std::nullopt;
}

Seen RevisionPlacer::seen(const RevisionId& service,
                          const std::map<Number, PodCount>& revisions) const {
  Seen seen;
  for (const auto& [number, needed] : revisions) {
    const cluster::RevisionPtr listed = host_.revisions().find(revision_id(service, number));
    if (listed == nullptr) continue;
    seen[number] = {.ready = listed->count(cluster::ReplicaPhase::kReady),
                    .failure = listed->failure_message,
                    .not_ready = cluster::not_ready_because(*listed)};
  }
  return seen;
}

Number RevisionPlacer::free_number(const RevisionId& service, Number from) const {
  while (is_listed(revision_id(service, from))) ++from;
  return from;
}

/// A revision with a share has the settings of its record, and shares them.
Result<void> RevisionPlacer::list(const ServiceRecord& service, const RevisionRecord& revision) {
  config::ServiceRevision run = runnable(service, revision);
  if (revision.share == 0) {
    run.settings = config::shared_settings(settings_in_force(*run.settings, 0, 0));
  }
  return host_.add(std::move(run), {});
}

Result<bool> RevisionPlacer::prepare(const ServiceRecord& service, const RevisionRecord& revision,
                                     PodCount needed) {
  const RevisionId id = revision_id(service.name, revision.number);
  floors_.hold(service.name, id, needed);
  if (const cluster::RevisionPtr listed = host_.revisions().find(id)) {
    leaving_.erase(id);  // it returns
    configure(service, revision);
    if (listed->requested < needed) world_.scale(id, needed);
    return false;
  }
  config::ServiceRevision run = runnable(service, revision);
  run.share = 0;
  run.route.tags.clear();
  run.settings = config::shared_settings(settings_in_force(*run.settings, 0, needed));
  const ReplicaSize size = world_.size_of_first ? world_.size_of_first(run.whole()) : ReplicaSize();
  if (auto added = host_.add(std::move(run), size); !added) {
    floors_.drop(id);
    return fail(added.error());
  }
  return true;
}

void RevisionPlacer::remove(const RevisionId& id) {
  floors_.drop(id);
  (void)host_.remove(id);
}

void RevisionPlacer::serve(const ServiceRecord& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service.name, revision.number);
  leaving_.erase(id);
  floors_.release(id, clock_.now() + revision.content->settings->window);
  place(service, revision);
  configure(service, revision);
}

void RevisionPlacer::update(const ServiceRecord& service) {
  for (const RevisionRecord& revision : service.revisions) {
    if (!is_reachable(service, revision)) continue;
    place(service, revision);
    configure(service, revision);
  }
}

void RevisionPlacer::follow_tags(const ServiceRecord& service) {
  for (const RevisionRecord& revision : service.revisions) {
    const RevisionId id = revision_id(service.name, revision.number);
    if (!is_listed(id)) continue;
    if (is_reachable(service, revision)) {
      serve(service, revision);
    } else if (!leaving_.contains(id)) {
      leave(service.name, revision);
    }
  }
}

void RevisionPlacer::leave(const RevisionId& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service, revision.number);
  const config::RevisionSettings& settings = *revision.content->settings;
  floors_.drop(id);
  leaving_[id] = {.service = service,
                  .since = clock_.now(),
                  .at_most = settings.drain_time() + settings.queue_age};
  if (!is_listed(id)) return;
  (void)host_.place(id, revision.content->route, 0);
  (void)host_.configure(id, settings_in_force(settings, 0, 0));
}

void RevisionPlacer::look(const Records& records) {
  const TimePoint now = clock_.now();
  for (auto leaving = leaving_.begin(); leaving != leaving_.end();) {
    if (!leaving->second.is_over(world_.has_requests(leaving->first), now)) {
      ++leaving;
      continue;
    }
    if (auto removed = host_.remove(leaving->first); removed) {
      log::info("revision retired",
                {{"service", leaving->second.service.text()}, {"revision", leaving->first.text()}});
    }
    leaving = leaving_.erase(leaving);
  }
  for (const ScaleFloors::Ended& ended : floors_.take_ended(now)) {
    const auto service = records.find(ended.service);
    if (service == records.end()) continue;
    const auto number = number_of(service->second, ended.revision.text());
    if (number) configure(service->second, *service->second.find(*number));
  }
}

void RevisionPlacer::place(const ServiceRecord& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service.name, revision.number);
  const auto placed = host_.place(id, route_for(service, revision), revision.share);
  if (!placed && is_listed(id)) {
    log::warning("route not changed", {{"service", service.name.text()},
                                       {"revision", id.text()},
                                       {"error", to_string(placed.error())}});
  }
}

void RevisionPlacer::configure(const ServiceRecord& service, const RevisionRecord& revision) {
  const RevisionId id = revision_id(service.name, revision.number);
  const auto set = host_.configure(
      id, settings_in_force(*revision.content->settings, revision.share, floors_.of(id)));
  if (!set && is_listed(id)) {
    log::warning("settings not changed", {{"service", service.name.text()},
                                          {"revision", id.text()},
                                          {"error", to_string(set.error())}});
  }
}

}  // namespace bellows::machine
