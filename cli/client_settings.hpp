// Flags of the commands that query a running Bellows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "cli/kubernetes/cluster_flags.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

enum class Output : std::uint8_t { kTable, kWide, kJson };

struct ClientSettings {
  Endpoint admin{.host = "127.0.0.1", .port = 8081, .unix_path = {}};
  Output output = Output::kTable;               ///< status
  Duration interval = std::chrono::seconds(1);  ///< top
  bool once = false;                            ///< top
  std::string at;                               ///< explain: as typed
  std::string request;                          ///< explain: an id
  std::string journal;                          ///< explain: a file
  std::optional<Duration> since;                ///< journal: the time before now from which on
  bool slow_journal = false;                    ///< slow
  std::string svg;                              ///< slow: a file
  bool follow = false;                          ///< logs
  std::string policy;                           ///< recommend; empty: the active one
  bool dry_run = false;                         ///< uninstall
  ClusterFlags cluster;                         ///< all but recommend
};

const config::Schema<ClientSettings>& recommend_schema();
const config::Schema<ClientSettings>& explain_schema();
const config::Schema<ClientSettings>& journal_schema();
const config::Schema<ClientSettings>& slow_schema();
/// The flags of retire, pause and resume.
const config::Schema<ClientSettings>& set_state_schema();
/// The flags of scale, restart, reload and down.
const config::Schema<ClientSettings>& control_schema();
const config::Schema<ClientSettings>& logs_schema();
const config::Schema<ClientSettings>& status_schema();
const config::Schema<ClientSettings>& check_schema();
const config::Schema<ClientSettings>& top_schema();
const config::Schema<ClientSettings>& uninstall_schema();

/// Returns `word`, if it is the name of a service, or NAMESPACE/NAME, otherwise kInvalidSetting.
Result<std::string> revision_name(const std::string& word);
/// Returns `word`, if it is a valid service name, otherwise kInvalidSetting.
Result<std::string> service_name(const std::string& word);

}  // namespace bellows::cli
