// Notifies the parent process of readiness: JSON lines on an inherited descriptor
// (BELLOWS_NOTIFY_FD). docs/formats/wire.md lists the lines.
#pragma once

#include <optional>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "base/sys/line_output.hpp"
#include "base/time.hpp"
#include "proxy/io/upstream_pool.hpp"

namespace bellows::queue_proxy {

/// Ports of a queue-proxy.
struct Ports {
  Endpoint serving;
  Endpoint admin;
  std::optional<Endpoint> activator;
  std::optional<Endpoint> drain;
};

/// Writes events to the parent. With a descriptor of -1, or after the reader has closed, each call
/// does nothing. Calls never wait for a slow reader. Thread: the io thread.
class Notifier {
 public:
  explicit Notifier(int descriptor);
  ~Notifier();
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  /// Returns kInvalidSetting naming notify-fd if it is not open for writing; -1 is valid.
  static Result<void> check(int descriptor);

  /// Writes {"event":"listening","serving":"127.0.0.1:40001","admin":"127.0.0.1:40002"}
  void listening(const Ports& ports);
  /// Writes {"event":"ready"}; for an app over HTTP/2 {"event":"ready","app_protocol":"h2c"}
  void ready(proxy::UpstreamVersion app_version);
  /// Writes {"event":"unready","reason":"..."}
  void unready(std::string_view reason);
  /// Writes {"event":"hung","reason":"...","silent_ms":3012}
  void hung(std::string_view reason, Duration silent);
  /// Writes {"event":"signalled"}
  void signalled();
  /// Writes {"event":"tunnels-left"}
  void tunnels_left();
  /// Writes {"event":"draining"}
  void draining();

 private:
  void write_line(std::string_view line);

  const int descriptor_;
  std::optional<sys::LineOutput> output_;
};

}  // namespace bellows::queue_proxy
