#include "kubernetes/io/api_request.hpp"

#include <utility>

namespace bellows::kubernetes {

std::string_view to_string(ApiVerb verb) {
  switch (verb) {
    case ApiVerb::kGet:
      return "get";
    case ApiVerb::kList:
      return "list";
    case ApiVerb::kWatch:
      return "watch";
    case ApiVerb::kCreate:
      return "create";
    case ApiVerb::kUpdate:
      return "update";
    case ApiVerb::kPatch:
      return "patch";
    case ApiVerb::kDelete:
      return "delete";
  }
  return "get";
}

ApiRequest::ApiRequest(ApiVerb its_verb, Resource its_resource, std::string its_ns,
                       std::string its_name, std::string its_subresource)
    : verb(its_verb),
      resource(std::move(its_resource)),
      ns(std::move(its_ns)),
      name(std::move(its_name)),
      subresource(std::move(its_subresource)) {}

ApiRequest::ApiRequest(std::string its_path) : path(std::move(its_path)) {}

std::string ApiRequest::target() const {
  std::string target = path;
  if (target.empty()) {
    target =
        name.empty() ? collection_path(resource, ns) : object_path(resource, ns, name, subresource);
  }
  return query.empty() ? target : target + "?" + query;
}

std::string ApiRequest::resource_text() const {
  if (!path.empty()) return path;
  const std::string text = to_string(resource);
  return subresource.empty() ? text : text + "/" + subresource;
}

std::string ApiRequest::description() const {
  std::string text = std::string(to_string(verb)) + " " + resource_text();
  if (name.empty()) return ns.empty() ? text : text + " in " + ns;
  return text + " " + (ns.empty() ? name : ns + "/" + name);
}

}  // namespace bellows::kubernetes
