// Drains: a signal or hooks begin it, any number of callers wait for it, and it is undone if the
// stop does not follow.
#pragma once

#include <functional>
#include <optional>

#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "proxy/core/drain.hpp"

namespace bellows::queue_proxy {

using proxy::Drain;
using proxy::DrainCause;
using proxy::DrainState;
using proxy::DrainTimes;

/// Load that keeps a replica from ending.
struct DrainLoad {
  std::int64_t open_requests = 0;         ///< in flight or in the queue
  std::int64_t tunnels = 0;               ///< the part of them that are tunnels
  std::optional<TimePoint> last_arrival;  ///< of a request that is no probe, or of a connection
};

/// Scope of wait().
enum class DrainScope : std::uint8_t {
  kRequests,  ///< after it the app may be stopped, so that it can close its tunnels
  kAll,       ///< after it this process may end
};

/// Callbacks to the owner of a Drainer.
struct DrainerCallbacks {
  std::function<DrainLoad()> load;
  std::function<void(DrainCause)> on_begin;  ///< the first cause of a drain
  std::function<void()> on_undo;             ///< the replica serves again
};

/// Owner: the service. Thread: the io thread.
class Drainer {
 public:
  Drainer(http::net::io_context& io, const sys::Clock& clock, DrainTimes times,
          DrainerCallbacks callbacks);

  void begin(DrainCause cause);
  /// Returns when the drain is done (or was undone).
  http::Awaitable<void> wait(DrainScope scope);
  /// Returns when the remaining requests are aborted; nullopt if not draining.
  std::optional<TimePoint> deadline() const { return drain_.deadline(); }
  http::Awaitable<void> stop(TimePoint deadline);

  /// Adds GET /drain and GET /drain/pod, for the hooks of a pod: they begin the drain and respond
  /// when it is done. Call it before the server listens.
  void add_pages(http::ServiceServer& server);

 private:
  DrainState look(DrainScope scope);
  http::Awaitable<void> watch_doubt();
  http::Handler page(DrainCause cause);

  const sys::Clock& clock_;
  const DrainerCallbacks callbacks_;
  Drain drain_;
  std::int64_t open_requests_ = 0;  // at the last check
  bool is_watching_ = false;
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
