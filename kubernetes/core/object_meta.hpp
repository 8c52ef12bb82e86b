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
  bool is_controller = false;  ///< at most one owner of an object is
  bool operator==(const OwnerReference&) const = default;
};

std::size_t hash_of(const SharedList<OwnerReference>& owners);

/// What is used of metav1.ObjectMeta. managedFields is never stored (see managed_fields.hpp).
struct ObjectMeta {
  std::string ns;  ///< empty: the kind has no namespaces
  std::string name;
  std::string uid;
  std::string resource_version;  ///< changes with every write; nothing else is known of it
  std::int64_t generation = 0;   ///< counts changes of the spec
  WallTime created{};
  std::optional<WallTime> deleted;  ///< deletionTimestamp: being deleted
  StringMap labels;
  StringMap annotations;
  SharedList<OwnerReference> owners;

  /// The owner that is its controller, or nullptr.
  const OwnerReference* controller() const;
  bool operator==(const ObjectMeta&) const = default;
};

/// "NAMESPACE/NAME", or NAME without a namespace: the key of stores, the name in messages.
std::string object_key(std::string_view ns, std::string_view name);
std::string object_key(const ObjectMeta& meta);

/// The same taken apart; valid as long as `key` is.
struct ObjectName {
  std::string_view ns;
  std::string_view name;
};
ObjectName split_key(std::string_view key);

/// Which version of which object it is.
struct ObjectIdentity {
  std::string key;  ///< object_key(); empty: it has no name
  std::string uid;
  std::string resource_version;
};
/// Never fails: what is missing or of a wrong type is empty.
ObjectIdentity identity_of(const boost::json::object& object);

/// Reads `metadata` of an object. Errors go to the Fields (see there).
ObjectMeta read_meta(const Fields& object);

/// The paths that read_meta() reads; annotations all but kubectl's copy of the whole object.
void keep_meta(FieldSet& fields);
/// The same with only the annotation of a pod that the API's own rules use (pod-deletion-cost).
void keep_pod_meta(FieldSet& fields);

}  // namespace bellows::kubernetes
