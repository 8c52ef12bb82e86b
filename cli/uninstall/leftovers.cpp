#include "cli/uninstall/leftovers.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/core/path_slice.hpp"
#include "cluster/kubernetes/core/service_slices.hpp"
#include "kubernetes/core/bare_object.hpp"
#include "kubernetes/core/item_reader.hpp"

namespace bellows::cli {

namespace {

/// Returns the objects of a list. One that cannot be used fails the whole list: nothing may be
/// overlooked here.
template <class T>
Result<std::vector<T>> read_list(std::string_view body) {
  std::vector<T> objects;
  std::optional<Error> unusable;
  kubernetes::ItemReader reader(
      T::fields(),
      [&](const boost::json::object& item) -> Result<void> {
        BELLOWS_TRY(T object, T::from(item));
        objects.push_back(std::move(object));
        return {};
      },
      [&](const Error& error) { unusable = error; });
  BELLOWS_CHECKED(reader.feed(body));
  BELLOWS_CHECKED(reader.finish());
  if (unusable) return fail(*unusable);
  return objects;
}

void add(std::vector<ReleasedTarget>& targets, ReleasedTarget next) {
  const bool is_known = std::ranges::any_of(targets, [&](const ReleasedTarget& known) {
    return known.ns == next.ns && known.target == next.target;
  });
  if (!is_known) targets.push_back(std::move(next));
}

}  // namespace

std::string to_string(const ReleasedTarget& target) {
  return target.target.kind + " " + target.ns + "/" + target.target.name;
}

Result<std::vector<cluster::RevisionObject>> read_revision_list(std::string_view body) {
  return read_list<cluster::RevisionObject>(body);
}

Result<std::vector<kubernetes::EndpointSlice>> read_slice_list(std::string_view body) {
  return read_list<kubernetes::EndpointSlice>(body);
}

std::vector<ReleasedTarget> released_targets(const std::vector<cluster::RevisionObject>& revisions,
                                             const std::vector<kubernetes::EndpointSlice>& ours) {
  std::vector<ReleasedTarget> targets;
  for (const cluster::RevisionObject& revision : revisions) {
    if (revision.state == cluster::RevisionState::kRetired) continue;
    add(targets, {.ns = revision.meta.ns,
                  .target = revision.target,
                  .replicas = std::max<PodCount>(1, cluster::replicas_before(revision.meta))});
  }
  for (const kubernetes::EndpointSlice& slice : ours) {
    const auto target = cluster::target_of(slice);
    if (!target) continue;
    add(targets, {.ns = slice.meta.ns,
                  .target = *target,
                  .replicas = std::max<PodCount>(1, cluster::replicas_before(slice.meta))});
  }
  return targets;
}

bool is_served(const std::vector<kubernetes::EndpointSlice>& slices) {
  return std::ranges::any_of(slices, [](const kubernetes::EndpointSlice& slice) {
    return !cluster::is_ours(slice) && std::ranges::any_of(slice.endpoints, [](const auto& each) {
      return each.ready && !each.addresses.empty();
    });
  });
}

Result<std::vector<std::string>> read_object_keys(std::string_view body) {
  BELLOWS_TRY(const auto objects, read_list<kubernetes::BareObject>(body));
  std::vector<std::string> keys;
  for (const kubernetes::BareObject& object : objects) {
    keys.push_back(kubernetes::object_key(object.meta));
  }
  return keys;
}

}  // namespace bellows::cli
