// A further event loop of the activator: a thread that serves its own connections.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "activator/service/activation_handler.hpp"
#include "activator/service/settled_requests.hpp"
#include "base/lifetime.hpp"
#include "base/result.hpp"
#include "http/io/reactor.hpp"
#include "http/io/tls.hpp"
#include "proxy/io/access_log.hpp"
#include "proxy/io/proxy_server.hpp"
#include "proxy/io/server_series.hpp"
#include "proxy/io/span_exporter.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::activator {

class SecurePort;

/// Arguments of all workers of an activator. The references outlive them.
struct WorkerWorld {
  http::Reactor& home;  ///< reactor of the service
  RevisionRouter& router;
  proxy::ProxyServer& server;  ///< accepts for all; called at home
  proxy::ProxyServerOptions options;
  proxy::UpstreamOptions upstream;
  ColdStartObserver on_cold_start;         ///< called at home
  proxy::AccessLog* access_log = nullptr;  ///< used at home; nullptr: none
  proxy::SpanExporter* spans = nullptr;    ///< used at home; nullptr: none
};

/// Activity and open connections of a worker.
struct WorkerReport {
  proxy::ServerTotals totals;
  std::uint64_t unrouted = 0;
  std::size_t connections = 0;
  std::optional<TimePoint> last_silent_connection;
  std::optional<TimePoint> last_arrival;
};

/// Has its own reactor, server without a port, and connections to replicas; it shares routes,
/// queues and slots with the others. Connections arrive by serve(). Call start(), begin_stop()
/// until is_empty(), end(). Owner: Workers. Thread: home.
class Worker final : private proxy::AcceptingLoop {
 public:
  explicit Worker(const WorkerWorld& world);
  /// Resets remaining connections.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the thread. Returns kSystem if the system has no room for another one.
  Result<void> start();

  /// Returns the number of connections that are open or being passed to it.
  std::size_t connections() const { return connections_.load(std::memory_order_relaxed); }
  bool has_room() const { return has_room_.load(std::memory_order_relaxed); }
  /// Serves a connection. `session` is that of TLS; nullptr: no TLS. `secure` outlives the
  /// connection.
  void serve(proxy::NewConnection connection, std::unique_ptr<http::TlsSession> session,
             SecurePort* secure);
  void set_port_state(const proxy::PortPtr& port, proxy::PortState state);

  void start_draining(proxy::IdleConnections idle);
  /// Begins a stop as ProxyServer::stop() does.
  void begin_stop(TimePoint deadline);
  /// Returns true when the stop is complete.
  bool is_empty() const { return is_empty_; }
  /// Ends the thread. The destructor resets remaining connections.
  void end();

  /// Waits for the worker's next turn and returns its report. After a second it returns the
  /// previous report. `since`: see ProxyServer::last_silent_connection().
  WorkerReport report(TimePoint since);
  /// Calls Reactor::tick() of the worker and waits for it.
  void tick();
  /// Returns the withheld details of failed requests.
  std::vector<proxy::LoggedReply> replies_of(const std::string& id);

 private:
  void run();
  void adopt(proxy::NewConnection connection, std::unique_ptr<http::TlsSession> session,
             SecurePort* secure);
  void connection_ended(const std::string& client) override;
  void room_changed(bool has_room) override;
  proxy::PortPtr own_port(const proxy::PortPtr& port);
  http::Awaitable<void> stop(TimePoint deadline);
  void note_empty();
  template <class Look>
  auto look(Look look) -> std::optional<decltype(look())>;
  proxy::ExchangeObserver observer();
  WorkerReport report_here(TimePoint since) const;
  std::vector<proxy::LoggedReply> replies_here(const std::string& id) const;

  const WorkerWorld& world_;
  http::net::io_context io_;
  http::Reactor reactor_;
  SettledRequests settled_;
  proxy::UpstreamPool pool_;
  ActivationHandler handler_;
  std::unique_ptr<proxy::AccessLog> access_log_;  // nullptr: none
  proxy::ProxyServer server_;
  /// The two objects of one port, because sessions count their connections in a port and each loop
  /// has its own.
  struct SamePort {
    proxy::PortPtr at_home;  // kept, so that no other one gets its address
    proxy::PortPtr here;
  };
  std::map<const proxy::Port*, SamePort> ports_;  // used by the worker's thread
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<bool> has_room_ = true;
  // Members used at home:
  WorkerReport last_report_;
  bool is_empty_ = false;
  Lifetime lifetime_;   // for calls that are posted there
  std::thread thread_;  // declared last, because it uses all of the above
};

}  // namespace bellows::activator
