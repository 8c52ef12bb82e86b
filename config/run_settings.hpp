// Settings of `bellows run` and `bellows up`: one machine, all parts in one process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/units.hpp"
#include "config/access_log_settings.hpp"
#include "config/log_settings.hpp"
#include "config/recommender_settings.hpp"
#include "config/recommender_source_settings.hpp"
#include "config/request_policies.hpp"
#include "config/revision_schema.hpp"
#include "config/schema.hpp"
#include "config/server_settings.hpp"
#include "config/tls_settings.hpp"
#include "config/trace_settings.hpp"

namespace bellows::config {

/// The prefix of the recommender's settings, since some of their names are short:
/// recommender-policy.
inline constexpr const char* kRecommenderPrefix = "recommender-";

/// The fields are declared in run_settings.cpp.
struct RunSettings {
  Endpoint listen{.host = "127.0.0.1", .port = 8080, .unix_path = {}};  ///< requests
  Endpoint admin{.host = "127.0.0.1", .port = 8081, .unix_path = {}};  ///< health, metrics, control
  std::string admin_hosts;                                             ///< comma-separated
  std::string control_socket;                                          ///< empty: chosen
  std::string workers{"1"};                                            ///< see worker_count()
  RevisionId name{"web"};  ///< of the service of `run`; `up` reads names from the file
  bool recommend = false;  ///< `run` only: short for resources.mode kAuto
  // `run` only; `up` has them per service.
  std::string environment_file;
  std::string user;
  bool no_new_privileges = false;
  /// The maximum that the replicas of the machine may take together (docs/sizing.md). Unset: the
  /// size of the machine; 0: no limit.
  std::optional<Millicores> machine_cpu;
  std::optional<Bytes> machine_memory;
  /// Revisions without requests that each service keeps for a rollback.
  std::int32_t keep_revisions = 5;
  /// Only `up`: the file in which services, revisions and shares outlive a restart. Empty: none.
  std::string state_file;
  Duration stop_timeout = std::chrono::seconds(10);  ///< of an app, from SIGTERM to SIGKILL
  bool quiet = false;                                ///< only warnings and errors, no live view
  bool detach = false;                               ///< continue in the background once it serves
  std::string detach_log;                            ///< of detach; empty: chosen
  Bytes journal_memory = mebibytes(64);  ///< for the decisions of the last day; 0: none are kept
  ErrorDetail error_detail = ErrorDetail::kGeneric;
  TlsSettings tls;
  ServerSettings server;
  LogSettings log;
  AccessLogSettings access_log;
  TraceSettings trace;
  RecommenderLoopSettings loop = one_machine_loop();
  RecommenderSettings recommender;  ///< its policies
  /// The settings of the service of `run`; `up` has settings per service (config/bellows_file.hpp).
  RevisionSettings revision = one_machine_settings();

  bool operator==(const RunSettings&) const = default;
};

/// Both return all per-revision settings, whose defaults are one_machine_settings(). run_schema()
/// has `name`, up_schema() has `state-file`.
const Schema<RunSettings>& run_schema();
const Schema<RunSettings>& up_schema();

}  // namespace bellows::config
