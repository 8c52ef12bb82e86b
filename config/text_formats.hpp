// What texts must look like that several settings share.
#pragma once

#include "config/field.hpp"

namespace bellows::config {

/// A DNS label (RFC 1123): web, api-2.
TextFormat name_format();

/// An HTTP path, or nothing.
TextFormat path_format();

/// Paths, or beginnings of a User-Agent, with commas between them; or nothing.
TextFormat path_list_format();
TextFormat agent_list_format();

/// A host name, IPv4 or IPv6 address to listen on or connect to, without port.
TextFormat host_format();

/// A host name as it stands in requests, without port, or nothing; kept in lower case.
TextFormat host_name_format();

/// The beginning of a path, without '/' at its end, or nothing.
TextFormat path_prefix_format();

/// The path of a Unix socket: 1 to 107 bytes (sockaddr_un).
TextFormat socket_path_format();

/// For endpoints that WebSockets come to: HOST:PORT, no Unix socket.
TextFormat tcp_endpoint_format();

/// For endpoints that only their owner may reach: unix:/PATH.
TextFormat unix_socket_format();

}  // namespace bellows::config
