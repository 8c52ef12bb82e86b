// The custom resource Revision as the API server lists it.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "cluster/core/revision.hpp"
#include "cluster/kubernetes/core/settings.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {
class FieldSet;
}

namespace bellows::cluster {

/// The scaled object: apiVersion without its version, kind and name. Two Revisions of different
/// versions of one group have the same target.
struct TargetRef {
  std::string api_version = "apps/v1";
  std::string kind = "Deployment";
  std::string name;

  std::string_view group() const;
  /// Returns true if apiVersion and kind are such. They become parts of the paths of requests.
  bool has_valid_kind() const;
  bool operator==(const TargetRef&) const = default;
};

/// Returns the replicas that the target of a Revision, or of a slice of ours, had before Bellows
/// scaled it; 0: unknown.
PodCount replicas_before(const kubernetes::ObjectMeta& meta);
/// Returns "apps/Deployment shop/web", the same for all versions of the group.
std::string target_key(std::string_view ns, const TargetRef& target);
/// Returns "Deployment web".
std::string target_name(const TargetRef& target);

/// The status of a Revision as it was last written, also by an earlier autoscaler.
struct StatusObject {
  std::int64_t observed_generation = 0;
  std::vector<kubernetes::Condition> conditions;
  PodCount replicas = 0;
  PodCount ready_replicas = 0;
  PodCount desired_replicas = 0;
  std::string mode;
  std::string reason;
  Texts settings;  ///< the last good ones; see good_settings()
  bool has_settings = false;
  std::string saved_state;
  std::optional<double> learned_target;  ///< by which activators fill replicas, if there is one
  std::uint16_t activator_port = 0;      ///< where activators take its requests; 0: none yet
  /// Ports of deleted Revisions, and when they were released: one Revision keeps them for all.
  std::map<std::uint16_t, WallTime> resting_ports = {};
  bool operator==(const StatusObject&) const = default;
};

struct RevisionObject {
  kubernetes::ObjectMeta meta;
  TargetRef target;
  std::string service;  ///< spec.serviceName; empty: none
  std::optional<std::uint16_t> port;
  RevisionState state = RevisionState::kActive;
  bool shares_with_hpa = false;  ///< spec.with: hpa
  Texts scaling;                 ///< of spec.scaling, values as texts
  StatusObject status;
  /// The object is deleted, but its path is left: it represents an EndpointSlice of ours.
  bool is_leaving = false;

  bool is_ours() const;  ///< Bellows made it for a labelled Deployment
  bool operator==(const RevisionObject&) const = default;

  static const kubernetes::FieldSet& fields();
  static Result<RevisionObject> from(const boost::json::object& pruned);
};

}  // namespace bellows::cluster
