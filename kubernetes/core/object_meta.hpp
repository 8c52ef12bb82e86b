// The metadata that every object has.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/shared_list.hpp"
#include "kubernetes/core/string_map.hpp"

namespace bellows::kubernetes {

class Fields;
class FieldSet;

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool is_controller = false;  ///< at most one owner of an object is its controller
  bool operator==(const OwnerReference&) const = default;
};

std::size_t hash_of(const SharedList<OwnerReference>& owners);

/// The used part of metav1.ObjectMeta. managedFields is never stored (see managed_fields.hpp).
struct ObjectMeta {
  std::string ns;  ///< empty: the kind has no namespaces
  std::string name;
  std::string uid;
  std::string resource_version;  ///< changes with every write; otherwise opaque
  std::int64_t generation = 0;   ///< counts changes of the spec
  WallTime created{};
  std::optional<WallTime> deleted;  ///< deletionTimestamp of an object that is being deleted
  StringMap labels;
  StringMap annotations;
  SharedList<OwnerReference> owners;

  /// Returns the owner that is its controller, or nullptr.
  const OwnerReference* controller() const;
  bool operator==(const ObjectMeta&) const = default;
};

/// Returns "NAMESPACE/NAME", or NAME without a namespace: the key of stores, the name in messages.
std::string object_key(std::string_view ns, std::string_view name);
std::string object_key(const ObjectMeta& meta);

/// The parts of such a key; valid as long as `key` is.
struct ObjectName {
  std::string_view ns;
  std::string_view name;
};
ObjectName split_key(std::string_view key);

/// Identifies an object and its version.
struct ObjectIdentity {
  std::string key;  ///< object_key(); empty: it has no name
  std::string uid;
  std::string resource_version;
};
/// Returns the identity. It never fails: a missing member or one of a wrong type is empty.
ObjectIdentity identity_of(const boost::json::object& object);

/// Returns true if a resource version is older than another one. In every existing server they are
/// numbers of one counter (KEP-5504 guarantees it); others are never older.
bool is_older(std::string_view version, std::string_view than);

/// Reads `metadata` of an object. Errors go to the Fields (see there).
ObjectMeta read_meta(const Fields& object);

/// Keeps the paths that read_meta() reads; annotations without kubectl's copy of the whole object.
void keep_meta(FieldSet& fields);
/// Does the same with only the annotation of a pod that the API's own rules use
/// (pod-deletion-cost).
void keep_pod_meta(FieldSet& fields);

}  // namespace bellows::kubernetes
