// The events of the live page: the changes, once a second, while a client is connected.
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
///   services  the rows that differ from those sent before, and the removed names
///   service   the requested one: the status of its revisions, and the decisions since the last
///             event
/// Owner: the service. Thread: the io thread.
class LiveEvents {
 public:
  /// Maximum of connected clients. A rejected browser retries.
  static constexpr std::size_t kMaxFeeds = 32;

  /// All outlive it. `additions` may still change.
  LiveEvents(const RevisionRegistry& registry, const ScaleApplier& applier, const sys::Clock& clock,
             const StatusAdditions& additions);

  /// Adds the routes. Call it before server.listen(); this object outlives `server`.
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
