// Drains: begun by a signal or by hooks, waited for by any number, undone if nothing ends.
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

/// What still keeps a replica from ending.
struct DrainLoad {
  std::int64_t open_requests = 0;         ///< in flight or in the queue
  std::int64_t tunnels = 0;               ///< among them
  std::optional<TimePoint> last_arrival;  ///< of a request that is no probe, or a connection
};

/// What a drain is waited for.
enum class DrainScope : std::uint8_t {
  kRequests,  ///< then the app may be told to end, so that it can close its tunnels
  kAll,       ///< then this process may end
};

/// What a Drainer needs from its owner.
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
  /// Ends when the drain is done (or was undone).
  http::Awaitable<void> wait(DrainScope scope);
  /// When the remaining requests are aborted; nullopt: not draining.
  std::optional<TimePoint> deadline() const { return drain_.deadline(); }
  http::Awaitable<void> stop(TimePoint deadline);

  /// GET /drain and GET /drain/pod, for the hooks of a pod: begin the drain and respond when it is
  /// done. Call it before the server listens.
  void add_pages(http::ServiceServer& server);

 private:
  DrainState look(DrainScope scope);
  http::Awaitable<void> watch_doubt();
  http::Handler page(DrainCause cause);

  const sys::Clock& clock_;
  const DrainerCallbacks callbacks_;
  Drain drain_;
  std::int64_t open_requests_ = 0;  // as of the last look
  bool is_watching_ = false;
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
