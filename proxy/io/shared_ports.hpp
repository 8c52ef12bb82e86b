// Several loops that serve the connections of one server's ports.
#pragma once

#include <string>

#include "base/sys/descriptor.hpp"
#include "http/io/address.hpp"
#include "proxy/io/port.hpp"

namespace bellows::proxy {

/// A connection that was accepted.
struct NewConnection {
  sys::Descriptor socket;
  http::SocketAddress peer;
  PortPtr port;
  std::string client;  ///< as it is counted; empty: it is not
};

/// The other loops, as the server knows them that accepts for all. Owner: the program; outlives the
/// server. Thread: that of the server.
class OtherLoops {
 public:
  /// True: another loop serves the connection, which was moved from. `has_room`: so can the server
  /// itself, which has `connections`.
  virtual bool take(NewConnection& connection, std::size_t connections, bool has_room) = 0;
  /// One of them has room for another connection.
  virtual bool have_room() const = 0;
  virtual void port_changed(const PortPtr& port, PortState state) = 0;

 protected:
  ~OtherLoops() = default;
};

/// The loop that accepts, as a server knows it that gets its connections from there. Owner: the
/// program; outlives the server. Thread: that of the server.
class AcceptingLoop {
 public:
  virtual void connection_ended(const std::string& client) = 0;
  /// Whether the server has room for another connection.
  virtual void room_changed(bool has_room) = 0;

 protected:
  ~AcceptingLoop() = default;
};

}  // namespace bellows::proxy
