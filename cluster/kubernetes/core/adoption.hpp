// A labelled Deployment gets its Revision by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/kubernetes/core/revision_object.hpp"
#include "kubernetes/core/scale_target.hpp"

namespace bellows::cluster {

/// What is to be done for one Deployment.
struct Adoption {
  enum class Kind : std::uint8_t {
    kCreate,   ///< POST `body`
    kRelease,  ///< DELETE the Revision `name` with `uid`; before that see `replicas`
    kRefuse,   ///< nothing is written: `message` says why
  };
  Kind kind = Kind::kCreate;
  std::string ns;
  std::string name;  ///< of the Revision, which is that of its Deployment
  std::string uid;   ///< of the Revision that is released
  std::string body;
  std::string message;
  /// The Deployment is at zero, and nobody would start it any more: it gets the number back that it
  /// had before it was adopted.
  std::optional<PodCount> replicas;
  bool operator==(const Adoption&) const = default;
};

/// The label is "true".
bool is_labelled(const kubernetes::ScaleTarget& deployment);

/// `deployment`: null if there is none. `revisions`: those whose target it is. `same_name`: the
/// Revision with the name of the Deployment, or null. Created where a labelled Deployment has no
/// Revision; refused where its name belongs to a Revision of another target; released where the
/// label is gone from a Deployment whose Revision we made. A Revision that a user wrote is never
/// touched. That of a Deployment that is gone is left to the garbage collector, which its
/// ownerReference tells.
std::optional<Adoption> adoption(const kubernetes::ScaleTarget* deployment,
                                 const std::vector<const RevisionObject*>& revisions,
                                 const RevisionObject* same_name);

}  // namespace bellows::cluster
