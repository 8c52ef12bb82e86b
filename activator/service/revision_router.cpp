#include "activator/service/revision_router.hpp"

#include <utility>

namespace bellows::activator {
namespace {

bool has_same_routes(const cluster::Revision& a, const cluster::Revision& b) {
  return a.share == b.share && a.is_retired() == b.is_retired() && a.route == b.route;
}

Error not_listed_yet() {
  return Error(ErrorKind::kUnavailable, "activator",
               "the list of services has not arrived from the cluster yet");
}

}  // namespace

RevisionRouter::RevisionRouter(cluster::Cluster& cluster, RevisionDependencies& dependencies)
    : cluster_(cluster), dependencies_(dependencies) {
  sync();
}

Result<RevisionHandle*> RevisionRouter::find(const http::RequestHead& head) {
  const auto number = routes_.find(head.host, head.path, &head.fields);
  if (number) {
    const Target& target = by_route_[*number];
    if (target.shares == nullptr) return target.handle;
    Shares& shares = *target.shares;
    const std::optional<std::size_t> stays = shares.clients.choice_of(head.fields);
    return shares.handles[stays ? *stays : shares.choice.next()];
  }
  if (!has_list()) return fail(not_listed_yet());
  return fail(number.error());
}

RevisionHandle* RevisionRouter::find_service(const RevisionId& service) {
  if (const auto shares = shares_.find(service); shares != shares_.end()) {
    return shares->second.handles[shares->second.choice.next()];
  }
  const auto handle_of = [this](const RevisionId& id)
                             BELLOWS_REQUIRES(kWorkerData) -> RevisionHandle* {
    const auto known = known_.find(id);
    const bool serves = known != known_.end() && !known->second.routes.empty() &&
                        !known->second.revision->is_retired();
    return serves ? &known->second.home->handle() : nullptr;
  };
  const auto revisions = revisions_of_.find(service);
  if (revisions == revisions_of_.end()) return handle_of(service);
  for (const RevisionId& id : revisions->second) {
    if (RevisionHandle* const handle = handle_of(id)) return handle;
  }
  return nullptr;
}

Result<RevisionHandle*> RevisionRouter::find(const RevisionId& id) const {
  const auto place = known_.find(id);
  if (place != known_.end()) return &place->second.home->handle();
  if (!has_list()) return fail(not_listed_yet());
  return fail(ErrorKind::kNotFound, "service " + id.text(), "is not listed");
}

void RevisionRouter::sync() {
  std::vector<RevisionId> ids;
  for (const cluster::RevisionPtr& listed : cluster_.revisions()) ids.push_back(listed->id);
  {
    const WorkerLock::AtHome home(lock());
    for (const auto& [id, known] : known_) {
      if (cluster_.revisions().find(id) == nullptr) ids.push_back(id);
    }
  }
  for (const RevisionId& id : ids) follow(id);
  end_changes();
}

/// Returns nullptr if it is not in service. The result stays valid until remove(); its content
/// changes only with the lock held.
RevisionRouter::Known* RevisionRouter::known(const RevisionId& id) {
  const WorkerLock::AtHome home(lock());
  const auto place = known_.find(id);
  return place == known_.end() ? nullptr : &place->second;
}

RevisionHome* RevisionRouter::home_of(const RevisionId& id) const {
  const WorkerLock::AtHome home(lock());
  const auto place = known_.find(id);
  return place == known_.end() ? nullptr : place->second.home.get();
}

void RevisionRouter::sync(const cluster::Changes& changes) {
  for (const RevisionId& id : changes.added) follow(id);
  for (const RevisionId& id : changes.changed) follow(id);
  for (const RevisionId& id : changes.removed) follow(id);
  end_changes();
}

void RevisionRouter::end_changes() {
  share_out();
  has_list_.store(cluster_.ready(), std::memory_order_release);
}

/// The list decides rather than the kind of the change, because it may have changed again since.
void RevisionRouter::follow(const RevisionId& id) {
  const cluster::RevisionPtr newest = cluster_.revisions().find(id);
  Known* const before = known(id);
  if (newest == nullptr) {
    if (before != nullptr) remove(id);
  } else if (before == nullptr) {
    add(newest);
  } else {
    update(*before, newest);
  }
}

void RevisionRouter::add(const cluster::RevisionPtr& newest) {
  auto home = std::make_unique<RevisionHome>(dependencies_, newest);
  const WorkerLock::Hold hold(lock());
  const auto place = known_.emplace(newest->id, Known{newest, std::move(home)}).first;
  join(*newest);
  set_routes(place->second);
}

void RevisionRouter::update(Known& known, const cluster::RevisionPtr& newest) {
  if (known.revision == newest) return;
  known.home->update(newest);
  const WorkerLock::Hold hold(lock());
  const cluster::RevisionPtr before = std::exchange(known.revision, newest);
  const bool is_moved = newest->service != before->service;
  if (is_moved) {
    leave(*before);
    join(*newest);
  }
  const bool is_resettled = newest->settings.callers != before->settings.callers;
  if (is_moved || is_resettled || !has_same_routes(*newest, *before)) set_routes(known);
}

void RevisionRouter::join(const cluster::Revision& revision) {
  if (!revision.service.empty()) revisions_of_[revision.service].insert(revision.id);
}

void RevisionRouter::leave(const cluster::Revision& revision) {
  const auto revisions = revisions_of_.find(revision.service);
  if (revisions == revisions_of_.end()) return;
  reshared_.insert(revision.service);
  revisions->second.erase(revision.id);
  if (revisions->second.empty()) revisions_of_.erase(revisions);
}

void RevisionRouter::remove(const RevisionId& id) {
  Known& known = *this->known(id);
  known.home->close(Error(ErrorKind::kNotFound, "service " + known.revision->service_id().text(),
                          "was removed while the request waited", ErrorSide::kDownstream));
  const WorkerLock::Hold hold(lock());
  set_rules(known, {}, known.routes);
  set_rules(known, {}, known.tagged);
  leave(*known.revision);
  removed_.push_back(std::move(known.home));
  known_.erase(id);
}

/// A revision without a share has only the routes of its tags, so no other request is for it.
void RevisionRouter::set_routes(Known& known) {
  const cluster::Revision& revision = *known.revision;
  if (!revision.service.empty()) reshared_.insert(revision.service);
  const bool has_share = revision.share > 0;
  set_rules(known, has_share ? rules_of(revision.route) : std::vector<config::RouteRule>(),
            known.routes);
  set_rules(known, tag_rules(revision.route), known.tagged);
}

void RevisionRouter::set_rules(const Known& known, const std::vector<config::RouteRule>& rules,
                               std::vector<std::size_t>& numbers) {
  const cluster::Revision& revision = *known.revision;
  for (; numbers.size() > rules.size(); numbers.pop_back()) routes_.remove(numbers.back());
  for (std::size_t i = 0; i < rules.size(); ++i) {
    RouteEntry entry{revision.id, rules[i], revision.is_retired(), revision.service_id()};
    if (i < numbers.size()) {
      routes_.change(numbers[i], std::move(entry));
    } else {
      numbers.push_back(routes_.add(std::move(entry)));
    }
    if (numbers[i] >= by_route_.size()) by_route_.resize(numbers[i] + 1);
    by_route_[numbers[i]] = {.handle = &known.home->handle(), .shares = nullptr};
  }
}

/// Called after all changes of a list: the revisions of one service change together.
void RevisionRouter::share_out() {
  const WorkerLock::Hold hold(lock());
  for (const RevisionId& service : std::exchange(reshared_, {})) share_out(service);
}

void RevisionRouter::share_out(const RevisionId& service) {
  std::vector<const Known*> members;
  shares_.erase(service);
  const auto revisions = revisions_of_.find(service);
  if (revisions == revisions_of_.end()) return;
  for (const RevisionId& id : revisions->second) {
    const Known& known = known_.at(id);
    if (!known.routes.empty() && !known.revision->is_retired()) members.push_back(&known);
  }
  for (const Known* member : members) {
    for (const std::size_t number : member->routes) by_route_[number].shares = nullptr;
  }
  if (members.size() < 2) return;
  std::vector<std::int32_t> weights;
  Shares& shares = shares_[service];
  for (const Known* member : members) {
    weights.push_back(member->revision->share);
    shares.handles.push_back(&member->home->handle());
    for (const std::size_t number : member->routes) by_route_[number].shares = &shares;
  }
  shares.choice = WeightedChoice(weights);
  shares.clients = client_shares(service, members);
}

/// Uses the settings of the revision with the largest share, the newest of equals, which commands
/// and files change.
ClientShares RevisionRouter::client_shares(const RevisionId& service,
                                           const std::vector<const Known*>& members) {
  const Known* deciding = members.front();
  std::vector<ClientShares::Member> weighted;
  for (const Known* member : members) {
    if (member->revision->share >= deciding->revision->share) deciding = member;
    weighted.push_back(
        {.revision = member->revision->id.text(), .weight = member->revision->share});
  }
  return ClientShares(deciding->revision->settings.callers, client_cookie_name(service),
                      std::move(weighted));
}

void RevisionRouter::destroy_ended() {
  std::erase_if(removed_, [](const auto& home) { return !home->handle().has_pending_requests(); });
}

}  // namespace bellows::activator
