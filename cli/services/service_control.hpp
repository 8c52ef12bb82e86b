// Orders to the services of a running Bellows, followed to their end.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// The reply of Bellows to an order.
struct OrderReply {
  std::vector<std::string> lines;          ///< one for each change
  std::vector<std::string> rolling_out;    ///< services whose requests move when all of it is ready
  std::vector<std::string> after_restart;  ///< settings
};

/// The stage of a rollout that is not followed any more.
inline constexpr std::string_view kStageLeft = "left";

/// The progress of a service's rollout.
struct RolloutState {
  std::string cause;                    ///< "deploy", "canary", "rollback", ...
  std::string stage;                    ///< of machine/core/rollout.hpp; empty: there was none
  std::string message;                  ///< one line
  double seconds = 0;                   ///< since its start
  std::vector<std::string> last_lines;  ///< of an app that did not become ready
  std::string step;                     ///< of a canary: changes with each; empty: it is no canary

  bool is_over() const {
    return stage != "starting" && stage != "ready" && stage != "proving" && stage != "canary";
  }
};

/// Owner: a command. Thread: that of the command, which waits. Changes are sent to the control
/// socket, whose file determines who may make them; pages are read from the admin port.
class ServiceControl {
 public:
  static constexpr Duration kLinePeriod = std::chrono::seconds(10);

  /// `io` outlives it.
  ServiceControl(http::net::io_context& io, Endpoint admin);

  /// Sends POST `target` with `body`. The error is the one of Bellows.
  Result<OrderReply> order(const std::string& target, const std::string& body);
  /// Sends POST to the control socket. Returns the response, or its error.
  Result<std::string> post(const std::string& target, const std::string& body);
  /// Sends GET `target` to the admin port.
  Result<std::string> page(const std::string& target);
  Result<RolloutState> rollout(const std::string& service);
  /// Prints the state of the service's rollout, on a terminal in place, until it is over, or until
  /// Ctrl-C (SIGINT): its stage is kStageLeft then, and it continues. A rollout that another one
  /// replaced has failed. Elsewhere a step of a canary, which may take hours, is a line when it
  /// starts, one in kLinePeriod, and one when it ends.
  Result<RolloutState> follow(const std::string& service);

 private:
  Result<Endpoint> socket();

  http::net::io_context& io_;
  const Endpoint admin_;
};

}  // namespace bellows::cli
