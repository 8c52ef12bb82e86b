// One listening address of a ProxyServer, as its sessions and the handler see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/endpoint.hpp"
#include "http/io/connection.hpp"
#include "proxy/core/header_rules.hpp"

namespace bellows::proxy {

/// Data that a program attaches to a port and that all its requests share. Owner: the ports that
/// have it.
class PortContext {
 public:
  virtual ~PortContext() = default;
};

/// Each state lists the states that may follow.
enum class PortState : std::uint8_t {
  kOpen,     ///< accepts connections and keeps them alive -> kLeaving, kClosed
  kLeaving,  ///< accepts; each response is the last of its connection -> kOpen, kClosed
  /// Accepts no connection. Requests in flight end normally, each response is the last of its
  /// connection. Idle connections are closed, new ones have half a second for their request.
  kClosed,
};

/// Owners: the ProxyServer while it is open, its sessions, and the code that opened it. Thread: the
/// io thread; const members may be used on any.
class Port {
 public:
  /// `make` makes the connections of the port; empty: without TLS.
  Port(Peer callers, std::shared_ptr<const PortContext> context, http::MakeConnection make = {})
      : callers_(callers), context_(std::move(context)), make_connection_(std::move(make)) {}

  Peer callers() const { return callers_; }
  /// Returns nullptr if there is none.
  const PortContext* context() const { return context_.get(); }
  const std::shared_ptr<const PortContext>& shared_context() const { return context_; }
  /// Returns true if its connections are made by `make`.
  bool makes_connections() const { return static_cast<bool>(make_connection_); }
  /// Returns the endpoint with the port that the system chose.
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
