// The events of the live page: what changes, once a second, as long as a client looks.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/status_json.hpp"
#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"

namespace bellows::autoscaler {

/// GET /v1/events?service=NAME, docs/formats/status.md:
///   services  the rows that differ from those told before, and the names that are gone
///   service   the one that was asked for: its status, and the decisions since the last event
/// Owner: the service. Thread: the io thread.
class LiveEvents {
 public:
  /// More than people look at once. A browser that is refused tries again.
  static constexpr std::size_t kMaxFeeds = 32;

  /// All outlive it. `additions` may still change.
  LiveEvents(const RevisionRegistry& registry, const ScaleApplier& applier, const sys::Clock& clock,
             const StatusAdditions& additions);

  /// Before server.listen(). This object outlives `server`.
  void add_routes(http::ServiceServer& server);

 private:
  class Feed;
  using Rows = std::map<RevisionId, std::string>;

  const Rows& rows();

  const RevisionRegistry& registry_;
  const ScaleApplier& applier_;
  const sys::Clock& clock_;
  const StatusAdditions& additions_;
  Rows rows_;          // shared by the feeds
  TimePoint rows_at_;  // when they were made
  std::size_t feeds_ = 0;
};

}  // namespace bellows::autoscaler
