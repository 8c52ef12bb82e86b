// Decides whether Bellows leaves the cluster, and how long a path may wait for pods then.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::cluster {

/// The way in which the paths of requests are given back. Each state lists the states that may
/// follow.
enum class PathsEnd : std::uint8_t {
  kStay,        ///< they are kept  -> kOnceServed
  kOnceServed,  ///< each one goes once pods of its Service are ready  -> kAtOnce, kStay
  kAtOnce,      ///< each one goes now, because its activators and this program do  -> kStay
};

/// Bellows leaves when the definition of the kind Revision is deleted, when this program ends and
/// no other one follows, or when the namespace of the activators is deleted. Its controller waits
/// for 5 s before it deletes what is in the namespace (namespaceDeletionGracePeriod, all versions):
/// the accounts first or last, at random, and from 1.33 on the pods first, with the accounts after
/// them (KEP-5080). So the rights last for 5 s, or for as long as the pod of this program may end.
/// What is left of the paths then is deleted: a caller who is refused can try again, one whose
/// packets go to a pod that is gone waits.
class Departure {
 public:
  static constexpr Duration kRights = std::chrono::seconds(4);
  /// 5 s before the pod of this program is asked to end, and its grace period but for some seconds.
  static constexpr Duration kRightsOfPods = std::chrono::seconds(105);

  void definition_changed(bool is_there) { is_definition_there_ = is_there; }
  /// `is_ordered`: ServerFeatures::has_ordered_namespace_deletion().
  void use(bool is_ordered) { is_ordered_ = is_ordered; }
  void namespace_changed(bool is_there, TimePoint now);
  /// This program ends, and no other one follows.
  void ends() { is_last_ = true; }

  /// Returns true while no other program of Bellows can start in the namespace.
  bool is_namespace_ending() const { return namespace_ends_.has_value(); }
  PathsEnd at(TimePoint now) const;

 private:
  bool is_definition_there_ = true;
  bool is_last_ = false;
  bool is_ordered_ = false;
  std::optional<TimePoint> namespace_ends_;
};

}  // namespace bellows::cluster
