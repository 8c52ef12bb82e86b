// What texts must look like that several settings share.
#pragma once

#include "config/field.hpp"

namespace bellows::config {

/// A DNS label (RFC 1123): web, api-2.
Form name_form();

/// An HTTP path, or nothing.
Form path_form();

/// Paths, or beginnings of a User-Agent, with commas between them; or nothing.
Form path_list_form();
Form agent_list_form();

/// A host name, IPv4 or IPv6 address to listen on or connect to, without port.
Form host_form();

/// A host name as it stands in requests, without port, or nothing; kept in lower case.
Form host_name_form();

/// The beginning of a path, without '/' at its end, or nothing.
Form path_prefix_form();

/// The path of a Unix socket: 1 to 107 bytes (sockaddr_un).
Form socket_path_form();

/// For endpoints that WebSockets come to: HOST:PORT, no Unix socket.
Form tcp_endpoint_form();

/// For endpoints that only their owner may reach: unix:/PATH.
Form unix_socket_form();

}  // namespace bellows::config
