// The revisions of a cluster, and the changes between two looks at them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// Ids by name; an id appears in one list only.
struct Changes {
  std::vector<RevisionId> added;
  std::vector<RevisionId> changed;
  std::vector<RevisionId> removed;
  bool activators = false;  ///< Cluster::activators() has changed

  bool empty() const { return added.empty() && changed.empty() && removed.empty() && !activators; }
  bool operator==(const Changes&) const = default;
};

/// All revisions at one time. Its entries are immutable and shared; a copy of the list does not
/// change. Iteration is by id; put() and erase() keep iterators to other entries.
class RevisionList {
 public:
  enum class Put : std::uint8_t { kAdded, kChanged, kUnchanged };

  /// Adds the revision, or replaces the one with its id. Returns kUnchanged, and keeps the listed
  /// one, if both are equal. O(log revisions), plus a comparison of the two.
  Put put(RevisionPtr revision);
  /// Returns false if there is none.
  bool erase(const RevisionId& id);

  /// Returns nullptr if there is none. O(log revisions).
  RevisionPtr find(const RevisionId& id) const;
  std::size_t size() const { return revisions_.size(); }
  bool empty() const { return revisions_.empty(); }
  auto begin() const { return revisions_.begin(); }
  auto end() const { return revisions_.end(); }

  /// Returns a number that grows with every change, within the lifetime of one list.
  std::uint64_t version() const { return version_; }

 private:
  struct ById {
    using is_transparent = void;
    bool operator()(const RevisionPtr& a, const RevisionPtr& b) const { return a->id < b->id; }
    bool operator()(const RevisionPtr& a, const RevisionId& b) const { return a->id < b; }
    bool operator()(const RevisionId& a, const RevisionPtr& b) const { return a < b->id; }
  };

  std::set<RevisionPtr, ById> revisions_;
  std::uint64_t version_ = 0;
};

/// Returns the revision of the service `name` that gets most of its requests, the newest of equals.
/// Without such a service it is the revision of that name. nullptr: there is neither. O(revisions).
RevisionPtr leading(const RevisionList& list, const RevisionId& name);

/// Returns all revisions of that service that get requests, or the one of that name, likewise; the
/// leading one of a service whose requests none gets. Empty: there is neither.
std::vector<RevisionId> with_requests(const RevisionList& list, const RevisionId& name);

/// Returns the service of a listed revision; an unknown one is alone.
RevisionId service_of(const RevisionList& list, const RevisionId& revision);

/// Collects changes until the subscribers are notified. It leaves out what appeared and disappeared
/// in between.
class PendingChanges {
 public:
  void added(const RevisionId& id);
  void changed(const RevisionId& id);
  void removed(const RevisionId& id);
  void activators() { activators_ = true; }

  /// Returns the changes since the last call.
  Changes take();

 private:
  enum class Kind : std::uint8_t { kAdded, kChanged, kRemoved };
  std::map<RevisionId, Kind> kinds_;
  bool activators_ = false;
};

}  // namespace bellows::cluster
