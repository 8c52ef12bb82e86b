// EndpointSlices by the Service that they belong to. Pure.
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

/// True if Bellows writes it.
bool is_ours(const kubernetes::EndpointSlice& slice);
/// The Revision that a slice of ours is for; empty: it does not say.
RevisionId revision_of(const kubernetes::EndpointSlice& slice);

/// One change costs two look-ups. Owner: Paths.
class ServiceSlices {
 public:
  using ByName = std::map<std::string, SlicePtr, std::less<>>;

  void changed(const SlicePtr& before, const SlicePtr& after);

  /// `service`: NAMESPACE/NAME. All slices of it, by name.
  const ByName& of(std::string_view service) const;
  /// The slices of ours for a Revision, by name.
  const ByName& ours(const RevisionId& id) const;
  /// The Revisions that slices of ours are for.
  std::vector<RevisionId> revisions() const;

 private:
  std::map<std::string, ByName, std::less<>> by_service_;
  std::map<RevisionId, ByName> ours_;
};

/// An endpoint that takes requests, in a slice that Bellows does not write, and that counts.
bool has_ready_endpoint(
    const ServiceSlices::ByName& slices,
    const std::function<bool(const kubernetes::SliceEndpoint&)>& does_count = nullptr);

}  // namespace bellows::cluster
