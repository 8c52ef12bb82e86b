// Decides which labelled Deployments get a Revision, and which lose theirs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/kubernetes/core/revision_object.hpp"
#include "kubernetes/core/scale_target.hpp"

namespace bellows::cluster {

/// The action that is due for one Deployment.
struct Adoption {
  enum class Kind : std::uint8_t {
    kCreate,   ///< POST `body`
    kRelease,  ///< DELETE the Revision `name` with `uid`; before that see `replicas`
    kRefuse,   ///< writes nothing: `message` says why
  };
  Kind kind = Kind::kCreate;
  std::string ns;
  std::string name;  ///< of the Revision, which has the name of its Deployment
  std::string uid;   ///< of the Revision that is released
  std::string body;
  std::string message;
  /// The Deployment is at zero, and nobody would start it any more: it is set to its number from
  /// before the adoption.
  std::optional<PodCount> replicas;
  bool operator==(const Adoption&) const = default;
};

/// Returns true if the label is "true".
bool is_labelled(const kubernetes::ScaleTarget& deployment);

/// Returns the action, if one is due. `deployment`: null if there is none. `revisions`: those whose
/// target it is. `same_name`: the Revision with the name of the Deployment, or null. Creates where
/// a labelled Deployment has no Revision; refuses where its name belongs to a Revision of another
/// target; releases where the label is gone from a Deployment whose Revision we made. A Revision
/// that a user wrote is never touched. That of a deleted Deployment is left to the garbage
/// collector, which its ownerReference tells.
std::optional<Adoption> adoption(const kubernetes::ScaleTarget* deployment,
                                 const std::vector<const RevisionObject*>& revisions,
                                 const RevisionObject* same_name);

}  // namespace bellows::cluster
