// Several loops that serve the connections of one server's ports.
#pragma once

#include <string>

#include "base/sys/descriptor.hpp"
#include "http/io/address.hpp"
#include "proxy/io/port.hpp"

namespace bellows::proxy {

/// An accepted connection.
struct NewConnection {
  sys::Descriptor socket;
  http::SocketAddress peer;
  PortPtr port;
  std::string client;  ///< key under which it is counted; empty: it is not
};

/// The other loops, as the accepting server sees them. Owner: the program; outlives the server.
/// Thread: that of the server.
class OtherLoops {
 public:
  /// Returns true if another loop serves the connection, which was moved from. `has_room`: the
  /// server itself, which has `connections`, can serve it too.
  virtual bool take(NewConnection& connection, std::size_t connections, bool has_room) = 0;
  /// Returns true if one of them has room for another connection.
  virtual bool have_room() const = 0;
  virtual void port_changed(const PortPtr& port, PortState state) = 0;

 protected:
  ~OtherLoops() = default;
};

/// The accepting loop, as a server that gets its connections from there sees it. Owner: the
/// program; outlives the server. Thread: that of the server.
class AcceptingLoop {
 public:
  virtual void connection_ended(const std::string& client) = 0;
  /// Reports whether the server has room for another connection.
  virtual void room_changed(bool has_room) = 0;

 protected:
  ~AcceptingLoop() = default;
};

}  // namespace bellows::proxy
