// The names on objects of Kubernetes that the injector writes or checks and a cluster reads. They
// are part of the user's interface: docs/kubernetes.md and docs/inject.md list them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace bellows::config {

/// The label that makes Bellows scale a Deployment.
inline constexpr std::string_view kAutoscaleLabel = "bellows.dev/autoscale";

/// Annotations of a workload with this prefix are settings, but for kNoSettings.
inline constexpr std::string_view kAnnotationPrefix = "bellows.dev/";
/// Names the Service of a Deployment, if it is not the one whose selector matches its pods.
inline constexpr std::string_view kServiceAnnotation = "bellows.dev/service";
/// The port at which replicas take requests, unless the queue-proxy's container names it.
inline constexpr std::string_view kReplicaPortAnnotation = "bellows.dev/port";
inline constexpr std::array<std::string_view, 2> kNoSettings = {kServiceAnnotation,
                                                                kReplicaPortAnnotation};

/// On a pod template: "enabled" has its pods injected as they are made. As an annotation of a
/// workload it has its user's wish.
inline constexpr std::string_view kInjectKey = "inject.bellows.dev/inject";

/// The audience of the tokens by which pods prove to the autoscaler whose stats they send.
inline constexpr std::string_view kStatsAudience = "bellows-stats";

inline constexpr std::string_view kQueueProxyContainer = "queue-proxy";
/// The name of the queue-proxy's port for requests where that of the app has none.
inline constexpr std::string_view kServingPortName = "bellows-http";
/// Knative's name for the port of the queue-proxy that takes requests of activators, by which a
/// cluster's replicas are found.
inline constexpr std::string_view kActivatorPortName = "queue-port";
inline constexpr std::string_view kAdminPortName = "bellows-admin";
/// The default of the queue-proxy's setting queue-serving-port.
inline constexpr std::uint16_t kServingPort = 8012;

}  // namespace bellows::config
