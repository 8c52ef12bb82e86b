// Reads pods and pod templates of the API server as shapes. Wrong values become the error of the
// Fields.
#pragma once

#include <string>
#include <string_view>

#include "slack/format/snapshot.hpp"

namespace bellows::kubernetes {
class Fields;
class FieldSet;
class StringMap;
}  // namespace bellows::kubernetes

namespace bellows::slack::kube {

/// The controller of a pod.
struct Owner {
  std::string space{};
  std::string kind{};  ///< empty: none
  std::string name{};
};

/// Reads a Pod of a list.
PodEntry read_pod(const kubernetes::Fields& pod);
/// Reads the shape of a pod or of a pod template. `object` is its name if it has no controller.
Shape shape_of(const kubernetes::Fields& pod, const std::string& object, const Owner& owner);

/// Keeps the paths that shape_of() reads in a pod's spec, which is at `path` ("/spec").
void keep_pod_spec(kubernetes::FieldSet& fields, std::string_view path);

Labels labels_of(const kubernetes::StringMap& map);
/// Reads cpu and memory of a map of quantities; missing ones are zero.
Resources read_amounts(const kubernetes::Fields& amounts);

}  // namespace bellows::slack::kube
