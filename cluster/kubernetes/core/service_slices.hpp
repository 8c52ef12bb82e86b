// EndpointSlices by their Service. Pure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "kubernetes/core/endpoint_slice.hpp"

namespace bellows::cluster {

using SlicePtr = std::shared_ptr<const kubernetes::EndpointSlice>;  // shared with the store

/// Returns true if Bellows writes it.
bool is_ours(const kubernetes::EndpointSlice& slice);
/// Returns the Revision of a slice of ours; empty: it names none.
RevisionId revision_of(const kubernetes::EndpointSlice& slice);

/// One change costs two look-ups. Owner: Paths.
class ServiceSlices {
 public:
  using ByName = std::map<std::string, SlicePtr, std::less<>>;

  void changed(const SlicePtr& before, const SlicePtr& after);

  /// Returns all slices of `service` (NAMESPACE/NAME), by name.
  const ByName& of(std::string_view service) const;
  /// Returns the slices of ours for a Revision, by name.
  const ByName& ours(const RevisionId& id) const;
  /// Returns the Revisions that have slices of ours.
  std::vector<RevisionId> revisions() const;

 private:
  std::map<std::string, ByName, std::less<>> by_service_;
  std::map<RevisionId, ByName> ours_;
};

/// Returns true if a slice that Bellows does not write has an endpoint that takes requests and
/// counts.
bool has_ready_endpoint(
    const ServiceSlices::ByName& slices,
    const std::function<bool(const kubernetes::SliceEndpoint&)>& does_count = nullptr);

}  // namespace bellows::cluster
