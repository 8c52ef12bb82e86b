// One listening address of a ProxyServer, as its sessions and the handler know it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/endpoint.hpp"
#include "http/io/connection.hpp"
#include "proxy/core/header_rules.hpp"

namespace bellows::proxy {

/// What a program attaches to a port: what its requests have in common. Owner: the ports that have
/// it.
class PortContext {
 public:
  virtual ~PortContext() = default;
};

/// Each state lists the states that may follow.
enum class PortState : std::uint8_t {
  kOpen,     ///< accepts connections and keeps them alive -> kLeaving, kClosed
  kLeaving,  ///< accepts; each response is the last of its connection -> kOpen, kClosed
  /// Accepts nothing. Requests in flight end normally, each response is the last of its connection.
  /// Idle connections are closed, new ones have half a second for their request.
  kClosed,
};

/// Owners: the ProxyServer while it is open, its sessions, and who opened it. Thread: the io
/// thread; what is const, any.
class Port {
 public:
  /// `make`: its connections; empty: in the clear.
  Port(Peer callers, std::shared_ptr<const PortContext> context, http::MakeConnection make = {})
      : callers_(callers), context_(std::move(context)), make_connection_(std::move(make)) {}

  Peer callers() const { return callers_; }
  /// nullptr: none.
  const PortContext* context() const { return context_.get(); }
  const std::shared_ptr<const PortContext>& shared_context() const { return context_; }
  /// Its connections are not in the clear.
  bool makes_connections() const { return static_cast<bool>(make_connection_); }
  /// With the port that the system picked.
  const Endpoint& endpoint() const { return endpoint_; }
  PortState state() const { return state_; }
  std::size_t connections() const { return connections_; }

 private:
  friend class ProxyServer;
  friend class Session;

  const Peer callers_;
  const std::shared_ptr<const PortContext> context_;
  const http::MakeConnection make_connection_;
  Endpoint endpoint_;
  PortState state_ = PortState::kOpen;
  std::size_t connections_ = 0;
};
using PortPtr = std::shared_ptr<Port>;

}  // namespace bellows::proxy
