// The objects of manifests for the injector.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "injector/core/manifest.hpp"

namespace bellows::injector {

/// One object. It is valid until its document changes.
struct Resource {
  std::size_t manifest = 0;  ///< index of its file in the input
  std::size_t document = 0;  ///< index in the file
  std::size_t index = 0;     ///< index among all objects of the input
  std::size_t line = 0;      ///< in its file
  const Node* root = nullptr;
  std::string api_version;
  std::string kind;
  std::string name;
  std::string name_space;  ///< as written; empty: missing
};

/// Returns all objects in the order of the input, lists expanded: the items of a DeploymentList are
/// Deployments, of its version, where they do not say otherwise, as API servers print them.
/// Documents without a kind are skipped.
std::vector<Resource> find_resources(const std::vector<Manifest>& manifests);

/// Returns "deployment/shop".
std::string label_of(const Resource& resource);

/// Returns the node with the metadata and spec of a pod: the template, or the object itself for a
/// Pod; nullptr for a kind without pods that Bellows could scale.
const Node* pod_of(const Resource& resource);

/// Returns true if a container or init container of the pod has the name of the queue-proxy.
bool has_queue_proxy(const Node& pod);

/// Returns why objects of this kind, or this one, are skipped; nullopt: its pods may have a
/// queue-proxy. An empty text means that it has no pods, so no reason is reported. An object that
/// belongs to another one is skipped, unless it is a pod at admission.
std::optional<std::string> reason_to_skip(const Resource& resource, bool is_admission);

/// Returns why the pods of a workload of this kind get no queue-proxy; empty: they may.
std::string_view reason_of_kind(std::string_view kind);

/// Returns the kinds for which reason_of_kind() has one.
std::vector<std::string_view> kinds_not_injected();

/// Returns true if `selector` is not empty and `labels` has all its entries.
bool selects(const Node& selector, const Node* labels);

/// Returns the value of an annotation of the object or its pods; the object's takes precedence.
std::string annotation_of(const Resource& resource, std::string_view key);

}  // namespace bellows::injector
