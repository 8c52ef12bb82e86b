// Formats of texts that several settings share.
#pragma once

#include "config/field.hpp"

namespace bellows::config {

/// A DNS label (RFC 1123): web, api-2.
TextFormat name_format();

/// A service of one machine, or NAMESPACE/NAME on a cluster: a DNS label and a DNS name.
TextFormat revision_format();

/// An HTTP path, or empty.
TextFormat path_format();

/// The target of a liveness probe: an HTTP path, "tcp", a port, or empty.
TextFormat liveness_format();

/// Comma-separated paths, or prefixes of User-Agent; or empty.
TextFormat path_list_format();
TextFormat agent_list_format();

/// Comma-separated protocols of an Upgrade field, without HTTP/2; or empty.
TextFormat upgrade_list_format();

/// Comma-separated networks (10.0.0.0/8, ::1) and "private"; or "none".
TextFormat proxy_list_format();

/// A host name, IPv4 or IPv6 address to listen on or connect to, without port.
TextFormat host_format();

/// The host of a request without port, a wildcard for all names below one (*.example.org), or
/// empty; stored in lower case.
TextFormat host_pattern_format();

/// A prefix of a path, without '/' at its end, or empty.
TextFormat path_prefix_format();

/// HOST:PORT without Unix sockets, for endpoints of WebSockets.
TextFormat tcp_endpoint_format();

}  // namespace bellows::config
