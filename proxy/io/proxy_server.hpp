// Takes requests from downstream connections and hands each to a RequestHandler.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "base/endpoint.hpp"
#include "http/io/listener.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

struct ProxyServerOptions {
  http::HeadLimits head;
  HeadSettings head_settings;                          ///< named to callers whose head is over them
  Duration header_timeout = std::chrono::seconds(60);  ///< from a head's first byte to its last
  Duration keep_alive_timeout = std::chrono::seconds(180);  ///< without a request
  /// Further ones wait in the backlog. Fewer where the limit of descriptors (RLIMIT_NOFILE) is too
  /// low for two each: 9,365 of 20,000, 468 of 1,024.
  std::size_t max_connections = 15000;
};

/// Everything since start; never reset.
struct ProxyCounters {
  std::uint64_t connections = 0;
  std::uint64_t requests = 0;
  std::uint64_t by_class[6] = {};  ///< [2]: 2xx sent, ...; [0]: no answer (caller left)
  std::uint64_t answered_by_us = 0;
  /// Heads that never became a request, by the status they were refused with; not in `requests`.
  std::map<int, std::uint64_t> refused_heads;
  /// Ended with a reset, or the caller left; by CutBy.
  std::array<std::uint64_t, kCutByNames.size()> cut{};
  /// Those that the server's end has stopped, whether there was time for an answer or not.
  std::uint64_t stopped = 0;
  std::uint64_t retries = 0;
  std::uint64_t upgrades = 0;
  std::int64_t open_connections = 0;
  std::int64_t in_flight = 0;  ///< with a handler, tunnels included
};

/// Called when an exchange is over, also one that was destroyed with its server. The views are good
/// within the call.
using ExchangeObserver = std::function<void(Exchange&, const Outcome&)>;

/// Owner: the program. Thread: the io thread. The handler outlives it. Its end cuts what is left.
class ProxyServer {
 public:
  ProxyServer(http::Reactor& reactor, RequestHandler& handler, ProxyServerOptions options = {});
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  /// For access logs and duration metrics; before listen().
  void set_observer(ExchangeObserver observer);

  /// Binds and accepts; several addresses are fine. The address with the real port, or the error
  /// that names it.
  Result<Endpoint> listen(const Endpoint& endpoint);

  /// Answers say Connection: close from now on, and connections that have served their last are
  /// closed; new ones are still taken and answered (a replica stays reachable until its callers
  /// know).
  void start_draining();
  bool is_draining() const;
  /// No request and no tunnel in flight.
  bool is_idle() const;

  /// Stops accepting, drains, waits until idle, then closes: connections without a request in
  /// flight have half a second to say goodbye. What is left at `deadline` is reset.
  http::Awaitable<void> stop(TimePoint deadline);

  const ProxyCounters& counters() const;
  /// Times that no connection could be accepted for want of descriptors or memory.
  std::uint64_t accept_failures() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::proxy
