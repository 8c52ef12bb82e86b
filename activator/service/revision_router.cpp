#include "activator/service/revision_router.hpp"

#include <utility>

namespace bellows::activator {
namespace {

RouteEntry route_of(const cluster::Revision& revision) {
  return {revision.id, revision.route, revision.is_retired()};
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

Result<RevisionHandle*> RevisionRouter::find(std::string_view host, std::string_view path) {
  const auto number = routes_.find(host, path);
  if (number) {
    const Target& target = by_route_[*number];
    if (target.shares == nullptr) return target.handle;
    return target.shares->handles[target.shares->choice.next()];
  }
  if (!has_list_) return fail(not_listed_yet());
  return fail(number.error());
}

Result<RevisionHandle*> RevisionRouter::find(const RevisionId& id) const {
  const auto place = known_.find(id);
  if (place != known_.end()) return place->second.handle.get();
  if (!has_list_) return fail(not_listed_yet());
  return fail(ErrorKind::kNotFound, "service " + id.text(), "is not listed");
}

void RevisionRouter::sync() {
  std::vector<RevisionId> ids;
  for (const cluster::RevisionPtr& listed : cluster_.revisions()) ids.push_back(listed->id);
  for (const auto& [id, known] : known_) {
    if (cluster_.revisions().find(id) == nullptr) ids.push_back(id);
  }
  for (const RevisionId& id : ids) follow(id);
  share_out();
  destroy_ended();
  has_list_ = cluster_.ready();
}

void RevisionRouter::sync(const cluster::Changes& changes) {
  for (const RevisionId& id : changes.added) follow(id);
  for (const RevisionId& id : changes.changed) follow(id);
  for (const RevisionId& id : changes.removed) follow(id);
  share_out();
  destroy_ended();
  has_list_ = cluster_.ready();
}

/// The list decides, not the kind of the change: it may have changed again since.
void RevisionRouter::follow(const RevisionId& id) {
  const cluster::RevisionPtr newest = cluster_.revisions().find(id);
  const auto place = known_.find(id);
  if (newest == nullptr) {
    if (place != known_.end()) remove(place);
  } else if (place == known_.end()) {
    add(newest);
  } else {
    update(place->second, newest);
  }
}

void RevisionRouter::add(const cluster::RevisionPtr& newest) {
  auto handle = std::make_unique<RevisionHandle>(dependencies_, newest);
  const auto place = known_.emplace(newest->id, Known{newest, std::move(handle)}).first;
  join(*newest);
  set_route(place->second);
}

void RevisionRouter::update(Known& known, const cluster::RevisionPtr& newest) {
  if (known.revision == newest) return;
  known.handle->update(newest);
  const cluster::RevisionPtr before = std::exchange(known.revision, newest);
  const bool is_moved = newest->service != before->service;
  if (is_moved) {
    leave(*before);
    join(*newest);
  }
  if (is_moved || route_of(*newest) != route_of(*before) || newest->share != before->share) {
    set_route(known);
  }
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

void RevisionRouter::remove(std::map<RevisionId, Known>::iterator place) {
  Known& known = place->second;
  known.handle->close(Error(ErrorKind::kNotFound, "service " + known.revision->id.text(),
                            "was removed while the request waited", ErrorSide::kDownstream));
  if (known.route) routes_.remove(*known.route);
  leave(*known.revision);
  removed_.push_back(std::move(known.handle));
  known_.erase(place);
}

/// A revision without a share has no route: nothing that comes is for it.
void RevisionRouter::set_route(Known& known) {
  const cluster::Revision& revision = *known.revision;
  if (!revision.service.empty()) reshared_.insert(revision.service);
  if (revision.share == 0) {
    if (known.route) routes_.remove(*std::exchange(known.route, std::nullopt));
    return;
  }
  if (known.route) {
    routes_.change(*known.route, route_of(revision));
  } else {
    known.route = routes_.add(route_of(revision));
  }
  if (*known.route >= by_route_.size()) by_route_.resize(*known.route + 1);
  by_route_[*known.route] = {.handle = known.handle.get(), .shares = nullptr};
}

/// After all changes of a list: the revisions of one service change together.
void RevisionRouter::share_out() {
  for (const RevisionId& service : std::exchange(reshared_, {})) {
    std::vector<const Known*> members;
    shares_.erase(service);
    const auto revisions = revisions_of_.find(service);
    if (revisions == revisions_of_.end()) continue;
    for (const RevisionId& id : revisions->second) {
      const Known& known = known_.at(id);
      if (known.route && !known.revision->is_retired()) members.push_back(&known);
    }
    for (const Known* member : members) by_route_[*member->route].shares = nullptr;
    if (members.size() < 2) continue;
    std::vector<std::int32_t> weights;
    Shares& shares = shares_[service];
    for (const Known* member : members) {
      weights.push_back(member->revision->share);
      shares.handles.push_back(member->handle.get());
      by_route_[*member->route].shares = &shares;
    }
    shares.choice = WeightedChoice(weights);
  }
}

void RevisionRouter::destroy_ended() {
  std::erase_if(removed_, [](const auto& handle) { return !handle->has_pending_requests(); });
}

}  // namespace bellows::activator
