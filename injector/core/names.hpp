// The names that users, pods and the injector share: docs/inject.md lists them.
#pragma once

#include <cstdint>
#include <string_view>

#include "config/object_names.hpp"

namespace bellows::injector {

/// Label on the pods of a revision; its value is the name of the workload.
inline constexpr std::string_view kRevisionLabel = "bellows.dev/revision";
using config::kAutoscaleLabel;
inline constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";

// The prefix differs from that of settings, bellows.dev/, where unknown keys are errors.
/// Written by inject: version, hash, and the original.
inline constexpr std::string_view kRecordAnnotation = "inject.bellows.dev/record";
/// Read by inject: "disabled" excludes an object; with "enabled" it is an error if it is not
/// injected. As a label of a pod or a namespace, "enabled" makes the webhook or the policy inject
/// the pod as it is made; "disabled" on a pod wins over its namespace.
inline constexpr std::string_view kInjectAnnotation = config::kInjectKey;
/// Read by inject: name or number of the app's port, if that is ambiguous.
inline constexpr std::string_view kPortAnnotation = "inject.bellows.dev/port";

/// Read: resources of the queue-proxy, "cpu=25m,memory=16Mi".
inline constexpr std::string_view kRequestsAnnotation = "inject.bellows.dev/requests";
inline constexpr std::string_view kLimitsAnnotation = "inject.bellows.dev/limits";

/// The owner of static pods.
inline constexpr std::string_view kNodeKind = "Node";

using config::kActivatorPortName;
using config::kAdminPortName;
using config::kServingPortName;
inline constexpr std::string_view kContainerName = config::kQueueProxyContainer;
/// New name of the app's port, as in Knative, if the queue-proxy took its name.
inline constexpr std::string_view kUserPortName = "user-port";

/// The volume with the token by which the queue-proxy proves whose stats it sends.
inline constexpr std::string_view kTokenVolume = "bellows-stats-token";
inline constexpr std::string_view kTokenFolder = "/var/run/secrets/bellows.dev";
inline constexpr std::string_view kTokenFile = "stats-token";

using config::kServingPort;
inline constexpr std::uint16_t kActivatorPort = 8013;
inline constexpr std::uint16_t kAdminPort = 8022;
inline constexpr std::uint16_t kDrainPort = 8023;

}  // namespace bellows::injector
