#include "cluster/kubernetes/io/requests.hpp"

#include <utility>

#include "cluster/kubernetes/core/names.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::cluster {

kubernetes::Resource revisions_resource() {
  return {std::string(kGroup), std::string(kVersion), std::string(kRevisionPlural)};
}

kubernetes::ApiRequest patch_request(kubernetes::Resource resource, std::string ns,
                                     std::string name, std::string subresource, PatchText patch) {
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kPatch, std::move(resource), std::move(ns),
                                 std::move(name), std::move(subresource));
  request.query = "fieldManager=" + std::string(kFieldManager);
  request.content_type = std::move(patch.type);
  request.body = std::move(patch.body);
  return request;
}

Result<kubernetes::Scale> read_scale(const std::string& body) {
  BELLOWS_TRY(const auto document, kubernetes::parse_document(body));
  return kubernetes::Scale::from(*document);
}

}  // namespace bellows::cluster
