// The names that Bellows shares with the users of a Kubernetes cluster. They are part of the user's
// interface: docs/kubernetes.md lists them.
#pragma once

#include <cstdint>
#include <string_view>

namespace bellows::cluster {

inline constexpr std::string_view kGroup = "bellows.dev";
inline constexpr std::string_view kVersion = "v1alpha1";
inline constexpr std::string_view kApiVersion = "bellows.dev/v1alpha1";
inline constexpr std::string_view kRevisionKind = "Revision";
inline constexpr std::string_view kRevisionPlural = "revisions";
/// The name of the CustomResourceDefinition.
inline constexpr std::string_view kRevisionCrd = "revisions.bellows.dev";
inline constexpr std::string_view kCrdKind = "CustomResourceDefinition";

/// The label that makes Bellows scale a Deployment.
inline constexpr std::string_view kAutoscaleLabel = "bellows.dev/autoscale";
inline constexpr std::string_view kManagedByLabel = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kManagedByBellows = "bellows";
/// Names the Service of a Deployment, if it is not the one whose selector matches its pods.
inline constexpr std::string_view kServiceAnnotation = "bellows.dev/service";
/// The port at which replicas take requests, unless the queue-proxy's container names it.
inline constexpr std::string_view kPortAnnotation = "bellows.dev/port";
/// On a Revision that Bellows made: the replicas of its Deployment at that time.
inline constexpr std::string_view kReplicasBeforeAnnotation = "bellows.dev/replicas-before";
inline constexpr std::string_view kAnnotationPrefix = "bellows.dev/";
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

/// On a pod template: "enabled" has its pods injected as they are made (injector/core/names.hpp).
inline constexpr std::string_view kInjectLabel = "inject.bellows.dev/inject";
/// The name of the queue-proxy's port for requests where that of the app has none.
inline constexpr std::string_view kServingPortName = "bellows-http";

inline constexpr std::string_view kQueueProxyContainer = "queue-proxy";
inline constexpr std::string_view kQueueProxyAdminPortName = "bellows-admin";
/// Knative's name for the port of the queue-proxy that takes requests.
inline constexpr std::string_view kQueueProxyPortName = "queue-port";
/// The default of the queue-proxy's setting queue-serving-port.
inline constexpr std::uint16_t kQueueProxyPort = 8012;

/// The field manager of our writes, and the component of our events.
inline constexpr std::string_view kFieldManager = "bellows-autoscaler";

}  // namespace bellows::cluster
