// The interface to the queue-proxy program: its environment and the lines of its notify pipe
// (docs/formats/wire.md). Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "config/server_settings.hpp"
#include "config/service.hpp"
#include "config/trace_settings.hpp"

namespace bellows::cluster {

/// The variable that names the inherited descriptor of the notify pipe.
inline constexpr const char* kNotifyVariable = "BELLOWS_NOTIFY_FD";

struct QueueProxySpec {
  PodName pod;
  std::uint16_t app_port = 0;
  std::string autoscaler_url;    ///< empty: stats are not sent
  std::string log_format;        ///< empty: its default
  std::string stat_secret = {};  ///< Replica::stat_secret
  config::ErrorDetail error_detail = config::ErrorDetail::kGeneric;
  config::ServerSettings server = {};  ///< of messages; limits of connections are for callers
  std::uint16_t admin_port = 0;        ///< 0: it chooses one
  config::TraceSettings trace = {};
};

/// Returns the environment without kNotifyVariable.
std::map<std::string, std::string> queue_proxy_environment(const config::Service& service,
                                                           const QueueProxySpec& spec);

struct ProxyListening {
  Endpoint serving;
  Endpoint admin;
  bool operator==(const ProxyListening&) const = default;
};
struct ProxyReady {
  std::string app_protocol = {};  ///< Replica::app_protocol
  bool operator==(const ProxyReady&) const = default;
};
struct ProxyUnready {
  std::string reason;
  bool operator==(const ProxyUnready&) const = default;
};
/// The app hangs; its owner restarts it.
struct ProxyHung {
  std::string reason;
  Duration silent;  ///< since the app was last seen to live
  bool operator==(const ProxyHung&) const = default;
};
struct ProxyDraining {
  bool operator==(const ProxyDraining&) const = default;
};
/// Another process has signalled it, and it waits for the signal of its parent.
struct ProxySignalled {
  bool operator==(const ProxySignalled&) const = default;
};
/// It drains, and only tunnels are in flight.
struct ProxyTunnelsLeft {
  bool operator==(const ProxyTunnelsLeft&) const = default;
};
using ProxyEvent = std::variant<ProxyListening, ProxyReady, ProxyUnready, ProxyHung, ProxyDraining,
                                ProxySignalled, ProxyTunnelsLeft>;

/// Returns nullopt for an unknown event (of a newer queue-proxy); kMalformed for a line that is no
/// event.
Result<std::optional<ProxyEvent>> parse_proxy_event(std::string_view line);

}  // namespace bellows::cluster
