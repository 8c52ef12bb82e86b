#include "activator/service/revision_router.hpp"

#include <utility>

namespace bellows::activator {

RevisionRouter::RevisionRouter(cluster::Cluster& cluster, LineSurroundings& surroundings)
    : cluster_(cluster), surroundings_(surroundings) {
  sync();
}

Result<RevisionLine*> RevisionRouter::find(std::string_view host, std::string_view path) const {
  const auto position = routes_.find(host, path);
  if (position) return known_[*position].line.get();
  if (!cluster_.ready()) {
    return fail(ErrorKind::kUnavailable, "activator",
                "the cluster has not told yet which services there are");
  }
  return fail(position.error());
}

void RevisionRouter::sync() {
  const cluster::SnapshotPtr snapshot = cluster_.snapshot();
  std::vector<Known> before = std::exchange(known_, {});
  std::vector<Known> after;
  after.reserve(snapshot->revisions.size());
  routes_changed_ = false;
  auto old = before.begin();
  for (const auto& newest : snapshot->revisions) {
    while (old != before.end() && old->revision->id < newest->id) let_go(std::move(*old++));
    const bool is_known = old != before.end() && old->revision->id == newest->id;
    take_over(is_known ? std::move(*old++) : Known{}, newest, after);
  }
  while (old != before.end()) let_go(std::move(*old++));
  known_ = std::move(after);
  if (routes_changed_) rebuild_routes();
  forget_ended();
}

void RevisionRouter::take_over(Known known, const std::shared_ptr<const cluster::Revision>& newest,
                               std::vector<Known>& kept) {
  if (!known.line) {
    known.line = std::make_unique<RevisionLine>(surroundings_, *newest);
    routes_changed_ = true;
  } else if (known.revision != newest && *known.revision != *newest) {
    known.line->update(*newest);
    routes_changed_ |=
        known.revision->route != newest->route || known.revision->retired != newest->retired;
  }
  known.revision = newest;
  kept.push_back(std::move(known));
}

void RevisionRouter::let_go(Known known) {
  known.line->close(Error(ErrorKind::kNotFound, "service " + known.revision->id.text(),
                          "was removed while the request waited", ErrorSide::kDownstream));
  leaving_.push_back(std::move(known.line));
  routes_changed_ = true;
}

void RevisionRouter::forget_ended() {
  std::erase_if(leaving_, [](const auto& line) { return !line->has_passages(); });
}

void RevisionRouter::rebuild_routes() {
  std::vector<RouteEntry> entries;
  entries.reserve(known_.size());
  for (const Known& known : known_) {
    entries.push_back({known.revision->id, known.revision->route, known.revision->retired});
  }
  routes_ = RouteTable(entries);
}

}  // namespace bellows::activator
