// Settings of `bellows run` and `bellows up`: one machine, all parts in one process.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "config/log_settings.hpp"
#include "config/revision_schema.hpp"
#include "config/schema.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// Declared field by field in run_settings.cpp.
struct RunSettings {
  Endpoint listen{.host = "127.0.0.1", .port = 8080, .unix_path = {}};  ///< callers
  Endpoint admin{.host = "127.0.0.1", .port = 8081, .unix_path = {}};  ///< health, metrics, control
  RevisionId name{"web"};  ///< of the one service of `run`; `up` has names in the file
  bool quiet = false;      ///< only warnings and errors, no live view
  LogSettings log;
  /// Of the one service of `run`; `up` hands each service its own (config/bellows_file.hpp).
  RevisionSettings revision = one_machine_settings();

  // Only `up`, when autoscaler and activator run as their own programs.
  WebSocketUrl autoscaler;              ///< empty: they run in this process
  std::string socket = "bellows.sock";  ///< where the cluster interface is offered to them

  bool operator==(const RunSettings&) const = default;
};

/// Both have all per-revision settings, whose defaults are one_machine_settings(). run_schema() has
/// `name`, up_schema() has `autoscaler` and `socket`.
const Schema<RunSettings>& run_schema();
const Schema<RunSettings>& up_schema();

}  // namespace bellows::config
