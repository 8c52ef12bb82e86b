#include "machine/service/order_checks.hpp"

#include <utility>

#include "machine/core/port_checks.hpp"

namespace bellows::machine {
namespace {

/// Returns the bounds of the changed services.
std::vector<cluster::ReplicaBounds> bounds_of(const std::vector<ServiceChange>& changes) {
  std::vector<cluster::ReplicaBounds> bounds;
  for (const ServiceChange& change : changes) {
    const config::RevisionSettings* settings = nullptr;
    if (change.content) settings = &*(*change.content)->settings;
    if (change.new_settings) settings = &*change.new_settings;
    if (settings == nullptr && !change.is_removed) continue;  // only its route changes
    bounds.push_back({.service = change.service,
                      .min_scale = settings == nullptr ? 0 : settings->min_scale,
                      .max_scale = settings == nullptr ? 0 : settings->max_scale});
  }
  return bounds;
}

}  // namespace

std::optional<ServiceRecord> after(const Records& records, const ServiceChange& change) {
  if (change.is_removed) return std::nullopt;
  if (change.is_new) return new_service(*change.content);
  ServiceRecord record = records.at(change.service);
  if (change.route) record.route = *change.route;
  if (change.content) revision_for(record, *change.content);
  return record;
}

OrderChecks::OrderChecks(const cluster::RevisionHost& host, const ServiceStore& store,
                         const RolloutRunner& rollouts, const CanaryRunner& canaries,
                         const sys::Clock& clock, config::FixedPorts ports, bool is_measuring)
    : host_(host),
      store_(store),
      rollouts_(rollouts),
      canaries_(canaries),
      clock_(clock),
      ports_(std::move(ports)),
      is_measuring_(is_measuring) {}

Result<void> OrderChecks::is_open(const RevisionId& service) const {
  if (!is_stopping_) return {};
  return fail(ErrorKind::kUnavailable, "service " + service.text(),
              "is unchanged: Bellows is shutting down; want the order after its restart");
}

Result<void> OrderChecks::is_idle(const RevisionId& service) const {
  BELLOWS_CHECKED(is_open(service));
  if (const RunningCanary* const run = canaries_.under_way(service)) {
    return fail(ErrorKind::kConflict, "service " + service.text(),
                "a canary is under way (" + run->canary.message(clock_.now()) +
                    "); `bellows rollback " + service.text() + "` ends it");
  }
  if (!rollouts_.is_under_way(service)) return {};
  const Rollout& rollout = rollouts_.find(service)->rollout;
  const std::string& cause = rollout.plan().cause;
  const std::string article = cause.starts_with('a') ? "an " : "a ";  // add, apply
  return fail(ErrorKind::kConflict, "service " + service.text(),
              article + cause + " is under way (" + rollout.message() +
                  "); it ends within its progress-deadline");
}

Result<ServiceRecord> OrderChecks::existing(const RevisionId& service) const {
  BELLOWS_TRY(const ServiceRecord* record, store_.find_running(service));
  BELLOWS_CHECKED(is_idle(service));
  return *record;
}

Result<ServiceRecord> OrderChecks::removable(const RevisionId& service) const {
  BELLOWS_TRY(const ServiceRecord* record, store_.find_running(service));
  BELLOWS_CHECKED(is_open(service));
  return *record;
}

Result<void> OrderChecks::changes(const std::vector<ServiceChange>& changes) const {
  Edits edits;
  for (const ServiceChange& change : changes) {
    BELLOWS_CHECKED(is_idle(change.service));
    edits.insert_or_assign(change.service, after(store_.records(), change));
  }
  for (const ServiceChange& change : changes) {
    if (change.new_settings) {
      BELLOWS_CHECKED(
          check_fallback(store_.records(), edits, change.service, *change.new_settings));
    }
    BELLOWS_CHECKED(content(edits, change));
  }
  BELLOWS_CHECKED(check_ports(store_.records(), changes, ports_));
  BELLOWS_CHECKED(host_.check_fit(bounds_of(changes)));
  BELLOWS_CHECKED(check_removed(store_.records(), edits));
  return store_.check_routes(edits);
}

Result<void> OrderChecks::ports(const ServiceRecord& service, const Shares& shares) const {
  std::vector<ServiceChange> changes;
  for (const auto& [number, share] : shares) {
    changes.push_back({.service = service.name, .content = service.find(number)->content});
  }
  return check_ports(store_.records(), changes, ports_);
}

Result<void> OrderChecks::content(const Edits& edits, const ServiceChange& change) const {
  if (!change.content) return {};
  BELLOWS_CHECKED(
      check_fallback(store_.records(), edits, change.service, *(*change.content)->settings));
  const config::Service whole = change.content->whole();
  BELLOWS_CHECKED(measured(whole));
  return host_.check(whole);
}

Result<void> OrderChecks::tagged(const config::Service& content) const {
  BELLOWS_CHECKED(measured(content));
  BELLOWS_CHECKED(
      check_ports(store_.records(), {{.service = content.name, .content = content}}, ports_));
  BELLOWS_CHECKED(host_.check(content));
  BELLOWS_CHECKED(
      host_.check_fit({{content.name, content.settings.min_scale, content.settings.max_scale}}));
  return check_fallback(store_.records(), {}, content.name, content.settings);
}

Result<void> OrderChecks::tags(const ServiceRecord& next) const {
  if (!next.tags.empty() && !may_have_tags(next.route)) {
    return fail(ErrorKind::kInvalidSetting, "service " + next.name.text(),
                "has no host before which a tag can stand (" + to_string(next.route) +
                    "); want a host that is no wildcard");
  }
  BELLOWS_CHECKED(check_port_of(next, next.shares()));
  return store_.check_routes({{next.name, next}});
}

/// The recommender, which reads the usage of apps, starts only if a service needs it at the start.
Result<void> OrderChecks::measured(const config::Service& revision) const {
  const bool is_measured = revision.settings.resources.mode != config::ResourcesMode::kOff;
  if (!is_measured || is_measuring_) return {};
  return fail(ErrorKind::kUnsupported, "service " + revision.service().text() + ": resources-mode",
              "no service was measured when Bellows started; want a restart, or off");
}

}  // namespace bellows::machine
