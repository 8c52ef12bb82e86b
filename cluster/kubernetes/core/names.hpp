// The names that Bellows shares with the users of a Kubernetes cluster. They are part of the user's
// interface: docs/kubernetes.md lists them.
#pragma once

#include <string_view>

#include "config/object_names.hpp"

namespace bellows::cluster {

inline constexpr std::string_view kGroup = "bellows.dev";
inline constexpr std::string_view kVersion = "v1alpha1";
inline constexpr std::string_view kApiVersion = "bellows.dev/v1alpha1";
inline constexpr std::string_view kRevisionKind = "Revision";
inline constexpr std::string_view kRevisionPlural = "revisions";
/// The name of the CustomResourceDefinition.
inline constexpr std::string_view kRevisionCrd = "revisions.bellows.dev";
inline constexpr std::string_view kCrdKind = "CustomResourceDefinition";

using config::kAutoscaleLabel;
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByBellows = "bellows";
using config::kReplicaPortAnnotation;
using config::kServiceAnnotation;
/// On a Revision that Bellows made: the replicas of its Deployment at that time.
inline constexpr std::string_view kReplicasBeforeAnnotation = "bellows.dev/replicas-before";
using config::kAnnotationPrefix;
/// On a Service without a selector: "true" lets Bellows alone fill it.
inline constexpr std::string_view kFrontAnnotation = "bellows.dev/front";
/// On an EndpointSlice of ours: what an autoscaler needs that finds it without its Revision.
inline constexpr std::string_view kSliceRevisionAnnotation = "bellows.dev/revision";
inline constexpr std::string_view kSliceTargetAnnotation = "bellows.dev/target";
inline constexpr std::string_view kSlicePortAnnotation = "bellows.dev/activator-port";
/// The manager of our EndpointSlices; their names are SERVICE and this suffix.
inline constexpr std::string_view kSliceManager = "bellows.dev";
inline constexpr std::string_view kSliceSuffix = "-bellows";
/// Kubernetes removes the pods with the lowest cost first (1.22 and later).
inline constexpr std::string_view kDeletionCostAnnotation =
    "controller.kubernetes.io/pod-deletion-cost";

using config::kQueueProxyContainer;

using config::kStatsAudience;
/// The service account of the activators.
inline constexpr std::string_view kActivatorAccount = "bellows-activator";

/// The field manager of our writes, and the component of our events.
inline constexpr std::string_view kFieldManager = "bellows-autoscaler";

}  // namespace bellows::cluster
