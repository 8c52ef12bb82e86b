// The requests that the writers of this folder share.
#pragma once

#include <string>

#include "base/result.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/io/api_request.hpp"

namespace bellows::cluster {

/// Returns revisions.bellows.dev.
kubernetes::Resource revisions_resource();

/// A PATCH of an object or of its subresource with our field manager. `type`: the content type of
/// the patch (kubernetes/core/patch.hpp).
struct PatchText {
  std::string type;
  std::string body;
};
kubernetes::ApiRequest patch_request(kubernetes::Resource resource, std::string ns,
                                     std::string name, std::string subresource, PatchText patch);

/// Parses the response to a request of /scale.
Result<kubernetes::Scale> read_scale(const std::string& body);

}  // namespace bellows::cluster
