#include "cluster/local/revision_checks.hpp"

#include <set>
#include <string>

#include "base/sys/descriptor_reserve.hpp"
#include "cluster/local/prepare_service.hpp"

namespace bellows::cluster {
namespace {

const RevisionId& service_of(const config::ServiceRevision& revision) {
  return revision.of.empty() ? revision.name : revision.of;
}

}  // namespace

Result<void> check_programs(const std::vector<config::ServiceRevision>& revisions) {
  std::set<RevisionId> names;
  for (const config::ServiceRevision& revision : revisions) {
    if (!names.insert(revision.name).second) {
      return fail(ErrorKind::kConflict, "revision " + revision.name.text(), "is listed twice");
    }
    BELLOWS_CHECKED(prepared(revision.whole()));
  }
  return {};
}

Result<void> check_limits(const std::vector<config::ServiceRevision>& revisions,
                          const AppGroups& groups) {
  if (groups.tree) return {};
  const std::string why =
      groups.why_none.empty() ? "no service needed them when Bellows started" : groups.why_none;
  for (const config::ServiceRevision& revision : revisions) {
    if (app_limits(revision.settings->resources).empty()) continue;
    return fail(ErrorKind::kUnsupported, "service " + service_of(revision).text(),
                "cpu-limit and memory-limit need control groups: " + why);
  }
  return {};
}

ReplicaBounds bounds_of(const config::ServiceRevision& revision) {
  return {.service = service_of(revision),
          .min_scale = revision.settings->min_scale,
          .max_scale = revision.settings->max_scale};
}

Result<void> check_all_fit(const std::vector<config::ServiceRevision>& revisions) {
  std::vector<ReplicaBounds> bounds;
  bounds.reserve(revisions.size());
  for (const config::ServiceRevision& revision : revisions) bounds.push_back(bounds_of(revision));
  return check_bounds(bounds, sys::descriptor_limit());
}

}  // namespace bellows::cluster
