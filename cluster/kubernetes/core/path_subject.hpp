// One Revision as Paths sees it. Internal to Paths. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/path_slice.hpp"
#include "cluster/kubernetes/core/service_route.hpp"
#include "cluster/kubernetes/core/service_slices.hpp"

namespace bellows::cluster {

/// Further reasons of the condition Routed.
inline constexpr std::string_view kServiceShared = "ServiceShared";
inline constexpr std::string_view kSliceNameTaken = "SliceNameTaken";
inline constexpr std::string_view kPortsExhausted = "PortsExhausted";
inline constexpr std::string_view kNoActivators = "NoActivators";
inline constexpr std::string_view kActivatorsNotAnswering = "ActivatorsNotAnswering";
inline constexpr std::string_view kTooManyPods = "TooManyPods";

/// The API's limit for one slice.
inline constexpr std::size_t kMaxEndpoints = 1000;

/// Returns the activators to which a slice of ours sends requests, at the activators' port
/// `number`; by name.
std::vector<PodName> activators_in(const kubernetes::EndpointSlice& slice, std::uint16_t number);

/// Lives for one step. What it refers to outlives it.
struct PathSubject {
  PathSubject(const RevisionId& its_id, const Record& its_record,
              const kubernetes::Service* its_service, bool is_shared, const ServiceSlices& slices,
              bool are_activators_on_each_node = false);

  void refuse(std::string_view reason, std::string message);
  bool is_possible() const { return route.is_possible(); }
  bool is_leaving() const { return is_bellows_leaving || record.object->is_leaving; }
  PodCount replicas_before() const;

  /// Returns true if callers reach a ready replica beside the activators, and it is meant to stay.
  bool are_replicas_ready(const ServiceSlices& slices) const;
  std::vector<const Member*> ready_members() const;
  /// Returns the activators to which the listed slice sends requests, by name.
  std::vector<PodName> activators_in_slice() const;
  bool is_in_slice(const Activator& activator) const;
  SliceSubject slice_subject(std::string address_type) const;
  /// Returns false if the endpoint is about to go, even if a slice lists it as ready.
  bool stays(const kubernetes::SliceEndpoint& endpoint) const;

  const RevisionId& id;
  const Record& record;
  const kubernetes::Service* service;
  ServiceRoute route;
  SlicePtr slice;            ///< of ours, of this Service, as the server lists it; or null
  std::uint16_t number = 0;  ///< the port of the activators
  bool is_bellows_leaving = false;
};

}  // namespace bellows::cluster
