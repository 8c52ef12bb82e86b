#include "activator/service/revision_router.hpp"

#include <utility>

namespace bellows::activator {

RevisionRouter::RevisionRouter(cluster::Cluster& cluster, RevisionDependencies& dependencies)
    : cluster_(cluster), dependencies_(dependencies) {
  sync();
}

Result<RevisionHandle*> RevisionRouter::find(std::string_view host, std::string_view path) const {
  const auto position = routes_.find(host, path);
  if (position) return known_[*position].handle.get();
  if (!cluster_.ready()) {
    return fail(ErrorKind::kUnavailable, "activator",
                "the list of services has not arrived from the cluster yet");
  }
  return fail(position.error());
}

void RevisionRouter::sync(const cluster::Changes& /*changes*/) {
  sync();
}

void RevisionRouter::sync() {
  const cluster::RevisionList& listed = cluster_.revisions();
  std::vector<Known> before = std::exchange(known_, {});
  std::vector<Known> after;
  after.reserve(listed.size());
  routes_changed_ = false;
  auto old = before.begin();
  for (const cluster::RevisionPtr& newest : listed) {
    while (old != before.end() && old->revision->id < newest->id) remove(std::move(*old++));
    const bool is_known = old != before.end() && old->revision->id == newest->id;
    keep(is_known ? std::move(*old++) : Known{}, newest, after);
  }
  while (old != before.end()) remove(std::move(*old++));
  known_ = std::move(after);
  if (routes_changed_) rebuild_routes();
  destroy_ended();
}

void RevisionRouter::keep(Known known, const cluster::RevisionPtr& newest,
                          std::vector<Known>& kept) {
  if (!known.handle) {
    known.handle = std::make_unique<RevisionHandle>(dependencies_, *newest);
    routes_changed_ = true;
  } else if (known.revision != newest && *known.revision != *newest) {
    known.handle->update(*newest);
    routes_changed_ |=
        known.revision->route != newest->route || known.revision->state != newest->state;
  }
  known.revision = newest;
  kept.push_back(std::move(known));
}

void RevisionRouter::remove(Known known) {
  known.handle->close(Error(ErrorKind::kNotFound, "service " + known.revision->id.text(),
                            "was removed while the request waited", ErrorSide::kDownstream));
  removed_.push_back(std::move(known.handle));
  routes_changed_ = true;
}

void RevisionRouter::destroy_ended() {
  std::erase_if(removed_, [](const auto& handle) { return !handle->has_pending_requests(); });
}

void RevisionRouter::rebuild_routes() {
  std::vector<RouteEntry> entries;
  entries.reserve(known_.size());
  for (const Known& known : known_) {
    entries.push_back({known.revision->id, known.revision->route, known.revision->is_retired()});
  }
  routes_ = RouteTable(entries);
}

}  // namespace bellows::activator
