// One service as status and events show it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/status_json.hpp"
#include "base/ids.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// A service as the list of all services shows it: sums over its revisions, and the words of the
/// one that gets most requests. Owner: the page that is written.
class ServiceRow {
 public:
  void add(const ScaledRevision& revision, const ScaleApplier& applier);

  /// Returns the members of the status, under the same names, and `traffic`.
  std::string json(const RevisionId& service, const TrafficOf& traffic) const;

 private:
  /// Texts of the leading revision. A sleeping one is valid while it is visited only.
  struct Words {
    std::int32_t share = -1;
    std::string_view state;
    bool is_paused = false;
    double target = 0;
    std::string trouble;
    std::string not_ready;
    std::int64_t failed_starts = 0;
    std::string start_failure;
    std::string rejected;
  };

  double stable_ = 0;
  double panic_ = 0;
  double in_flight_ = 0;
  double capacity_ = 0;
  PodCount desired_ = 0;
  PodCount ready_ = 0;
  PodCount starting_ = 0;
  std::uint64_t waiting_ = 0;
  std::optional<cluster::Usage> used_;  // nullopt: unknown
  std::vector<RevisionId> revisions_;
  bool is_panic_ = false;
  Words leading_;
};

}  // namespace bellows::autoscaler
