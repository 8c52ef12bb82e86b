// The objects of manifests, as the injector looks at them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "injector/core/manifest.hpp"

namespace bellows::injector {

/// One object. Valid as long as its document is not changed.
struct Resource {
  std::size_t manifest = 0;  ///< the place of its file in the input
  std::size_t document = 0;  ///< its place in the file
  const Node* root = nullptr;
  std::string api_version;
  std::string kind;
  std::string name;
  std::string name_space;  ///< as written; empty: it is not
};

/// All objects in the order of the input, those of kind List taken apart. What is no object (no
/// kind) is left out.
std::vector<Resource> find_resources(const std::vector<Manifest>& manifests);

/// "deployment/shop".
std::string label_of(const Resource& resource);

/// The holder of the metadata and spec of a pod: the template, or the object itself for a Pod;
/// nullptr for a kind without pods that Bellows could scale.
const Node* pod_of(const Resource& resource);

/// Why objects of this kind, or this one, are left alone; nullopt: its pods may have a queue-proxy.
/// Empty text: it has no pods, so there is nothing to say.
std::optional<std::string> reason_to_skip(const Resource& resource);

/// True if `selector` is not empty and `labels` has all its entries.
bool selects(const Node& selector, const Node* labels);

/// The value of an annotation of the object or its pods; the object's wins.
std::string annotation_of(const Resource& resource, std::string_view key);

}  // namespace bellows::injector
