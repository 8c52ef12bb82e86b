// The revisions of a cluster, and what changed between two looks at them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// Ids by name, each in one list only.
struct Changes {
  std::vector<RevisionId> added;
  std::vector<RevisionId> changed;
  std::vector<RevisionId> removed;
  bool activators = false;  ///< Cluster::activators() has changed

  bool empty() const { return added.empty() && changed.empty() && removed.empty() && !activators; }
  bool operator==(const Changes&) const = default;
};

/// All revisions at one time. Its entries are immutable and shared; a copy of the list is what was
/// listed when it was made. Iterated by id; put() and erase() keep iterators to other entries.
class RevisionList {
 public:
  enum class Put : std::uint8_t { kAdded, kChanged, kUnchanged };

  /// Adds the revision, or replaces the one with its id. kUnchanged, and the listed one stays, if
  /// it is equal. O(log revisions), plus a comparison of the two.
  Put put(RevisionPtr revision);
  /// False: there is none.
  bool erase(const RevisionId& id);

  /// nullptr: there is none. O(log revisions).
  RevisionPtr find(const RevisionId& id) const;
  std::size_t size() const { return revisions_.size(); }
  bool empty() const { return revisions_.empty(); }
  auto begin() const { return revisions_.begin(); }
  auto end() const { return revisions_.end(); }

  /// Grows with every change, within the lifetime of one list.
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

/// Collects changes until the subscribers are told. What came and went in between is left out.
class PendingChanges {
 public:
  void added(const RevisionId& id);
  void changed(const RevisionId& id);
  void removed(const RevisionId& id);
  void activators() { activators_ = true; }

  /// The changes since the last call.
  Changes take();

 private:
  enum class Kind : std::uint8_t { kAdded, kChanged, kRemoved };
  std::map<RevisionId, Kind> kinds_;
  bool activators_ = false;
};

}  // namespace bellows::cluster
