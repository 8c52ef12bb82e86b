#include "cluster/core/revision_list.hpp"

#include <utility>

namespace bellows::cluster {

RevisionList::Put RevisionList::put(RevisionPtr revision) {
  const auto place = revisions_.lower_bound(revision->id);
  const bool is_known = place != revisions_.end() && (*place)->id == revision->id;
  if (is_known && (*place == revision || **place == *revision)) return Put::kUnchanged;
  ++version_;
  if (!is_known) {
    revisions_.insert(place, std::move(revision));
    return Put::kAdded;
  }
  auto node = revisions_.extract(place);  // the order stays: the ids are equal
  node.value() = std::move(revision);
  revisions_.insert(std::move(node));
  return Put::kChanged;
}

bool RevisionList::erase(const RevisionId& id) {
  const auto place = revisions_.find(id);
  if (place == revisions_.end()) return false;
  revisions_.erase(place);
  ++version_;
  return true;
}

RevisionPtr RevisionList::find(const RevisionId& id) const {
  const auto place = revisions_.find(id);
  return place == revisions_.end() ? nullptr : *place;
}

RevisionPtr leading(const RevisionList& list, const RevisionId& name) {
  RevisionPtr best;
  for (const RevisionPtr& revision : list) {
    if (revision->service_id() != name) continue;
    if (best == nullptr || revision->share >= best->share) best = revision;
  }
  return best != nullptr ? best : list.find(name);
}

std::vector<RevisionId> with_requests(const RevisionList& list, const RevisionId& name) {
  std::vector<RevisionId> found;
  for (const RevisionPtr& revision : list) {
    if (revision->service_id() == name && revision->share > 0) found.push_back(revision->id);
  }
  if (!found.empty()) return found;
  const RevisionPtr only = leading(list, name);
  if (only != nullptr) found.push_back(only->id);
  return found;
}

RevisionId service_of(const RevisionList& list, const RevisionId& revision) {
  const RevisionPtr listed = list.find(revision);
  return listed == nullptr ? revision : listed->service_id();
}

void PendingChanges::added(const RevisionId& id) {
  const auto [place, is_new] = kinds_.try_emplace(id, Kind::kAdded);
  if (!is_new && place->second == Kind::kRemoved) place->second = Kind::kChanged;
}

void PendingChanges::changed(const RevisionId& id) {
  kinds_.try_emplace(id, Kind::kChanged);
}

void PendingChanges::removed(const RevisionId& id) {
  const auto [place, is_new] = kinds_.try_emplace(id, Kind::kRemoved);
  if (is_new) return;
  if (place->second == Kind::kAdded) {
    kinds_.erase(place);
  } else {
    place->second = Kind::kRemoved;
  }
}

Changes PendingChanges::take() {
  Changes changes;
  changes.activators = std::exchange(activators_, false);
  for (const auto& [id, kind] : std::exchange(kinds_, {})) {
    if (kind == Kind::kAdded) changes.added.push_back(id);
    if (kind == Kind::kChanged) changes.changed.push_back(id);
    if (kind == Kind::kRemoved) changes.removed.push_back(id);
  }
  return changes;
}

}  // namespace bellows::cluster
