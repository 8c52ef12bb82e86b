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

Result<RevisionHandle*> RevisionRouter::find(std::string_view host, std::string_view path) const {
  const auto number = routes_.find(host, path);
  if (number) return by_route_[*number];
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
  destroy_ended();
  has_list_ = cluster_.ready();
}

void RevisionRouter::sync(const cluster::Changes& changes) {
  for (const RevisionId& id : changes.added) follow(id);
  for (const RevisionId& id : changes.changed) follow(id);
  for (const RevisionId& id : changes.removed) follow(id);
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
  const std::size_t route = routes_.add(route_of(*newest));
  if (route >= by_route_.size()) by_route_.resize(route + 1);
  by_route_[route] = handle.get();
  known_.emplace(newest->id, Known{newest, std::move(handle), route});
}

void RevisionRouter::update(Known& known, const cluster::RevisionPtr& newest) {
  if (known.revision == newest) return;
  known.handle->update(newest);
  const RouteEntry route = route_of(*newest);
  if (route != route_of(*known.revision)) routes_.change(known.route, route);
  known.revision = newest;
}

void RevisionRouter::remove(std::map<RevisionId, Known>::iterator place) {
  Known& known = place->second;
  known.handle->close(Error(ErrorKind::kNotFound, "service " + known.revision->id.text(),
                            "was removed while the request waited", ErrorSide::kDownstream));
  routes_.remove(known.route);
  removed_.push_back(std::move(known.handle));
  known_.erase(place);
}

void RevisionRouter::destroy_ended() {
  std::erase_if(removed_, [](const auto& handle) { return !handle->has_pending_requests(); });
}

}  // namespace bellows::activator
