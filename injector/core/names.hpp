// The names by which users, pods and the injector know each other: docs/inject.md lists them.
#pragma once

#include <cstdint>
#include <string_view>

namespace bellows::injector {

/// On the pods of a revision; its value is the name of the workload.
inline constexpr std::string_view kRevisionLabel = "bellows.dev/revision";
inline constexpr std::string_view kPartOfLabel = "app.kubernetes.io/part-of";

// The prefix differs from that of settings, bellows.dev/, where unknown keys are errors.
/// Written: version, hash, and what was there before.
inline constexpr std::string_view kRecordAnnotation = "inject.bellows.dev/record";
/// Read: "disabled" leaves an object alone.
inline constexpr std::string_view kInjectAnnotation = "inject.bellows.dev/inject";
/// Read: name or number of the app's port, where that is not clear.
inline constexpr std::string_view kPortAnnotation = "inject.bellows.dev/port";

inline constexpr std::string_view kContainerName = "queue-proxy";
/// Of the queue-proxy's port for requests, if the app's had no name.
inline constexpr std::string_view kServingPortName = "bellows-http";
/// Of the queue-proxy's port for activators: Knative's name, by which a cluster's replicas are
/// found.
inline constexpr std::string_view kActivatorPortName = "queue-port";
inline constexpr std::string_view kAdminPortName = "bellows-admin";
/// Of the app's port, whose name the queue-proxy took: Knative's.
inline constexpr std::string_view kUserPortName = "user-port";

inline constexpr std::uint16_t kServingPort = 8012;
inline constexpr std::uint16_t kActivatorPort = 8013;
inline constexpr std::uint16_t kAdminPort = 8022;
inline constexpr std::uint16_t kDrainPort = 8023;

}  // namespace bellows::injector
