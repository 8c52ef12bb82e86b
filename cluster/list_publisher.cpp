#include "cluster/list_publisher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace bellows::cluster {

void ListPublisher::put(RevisionPtr revision) {
  const RevisionId id = revision->id;
  switch (list_.put(std::move(revision))) {
    case RevisionList::Put::kUnchanged:
      return;
    case RevisionList::Put::kAdded:
      subscribers_.pending().added(id);
      break;
    case RevisionList::Put::kChanged:
      subscribers_.pending().changed(id);
      break;
  }
  subscribers_.notify();
}

void ListPublisher::erase(const RevisionId& id) {
  if (!list_.erase(id)) return;
  subscribers_.pending().removed(id);
  subscribers_.notify();
}

void ListPublisher::replace_all(std::vector<RevisionPtr> revisions) {
  const auto id_of = [](const RevisionPtr& revision) -> const RevisionId& { return revision->id; };
  std::ranges::sort(revisions, {}, id_of);
  std::vector<RevisionId> unlisted;
  for (const RevisionPtr& listed : list_) {
    if (!std::ranges::binary_search(revisions, listed->id, {}, id_of)) {
      unlisted.push_back(listed->id);
    }
  }
  for (const RevisionId& id : unlisted) erase(id);
  for (RevisionPtr& revision : revisions) put(std::move(revision));
}

void ListPublisher::set_activators(std::vector<Activator> activators) {
  if (activators_ == activators) return;
  activators_ = std::move(activators);
  subscribers_.pending().activators();
  subscribers_.notify();
}

}  // namespace bellows::cluster
