// Finds the last manager of a field. managedFields is read on demand, from the response to a GET.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

struct FieldManager {
  std::string name;         ///< "kubectl-client-side-apply", "argocd-controller", ...
  std::string operation;    ///< "Apply" or "Update"
  std::string subresource;  ///< "scale", "status"; empty: the object itself
  std::optional<WallTime> time;
};

/// Returns the newest manager, other than `except`, of the field at `path` ("/spec/replicas") in
/// the object `body`; nullopt if there is none. Returns kMalformed if the body is no object.
Result<std::optional<FieldManager>> manager_of(std::string_view body, std::string_view path,
                                               std::string_view except = {});

}  // namespace bellows::kubernetes
