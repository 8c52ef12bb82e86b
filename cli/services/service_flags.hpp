// Flags of the commands that change the services of a running Bellows.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "command/arguments.hpp"
#include "config/schema.hpp"

namespace bellows::cli {

struct ServiceFlags {
  Endpoint admin{.host = "127.0.0.1", .port = 8081, .unix_path = {}};
  bool dry_run = false;
  bool no_wait = false;
  bool no_probe = false;                    ///< deploy, add
  std::string set;                          ///< deploy, add: the last one; see values_of()
  std::string environment;                  ///< deploy, add: the last one; see values_of()
  std::string working_directory;            ///< deploy, add
  std::string host;                         ///< add: the last one; see all_of()
  std::string path_prefix;                  ///< add: the last one; see all_of()
  std::string header;                       ///< add, route-test: the last one; see all_of()
  std::optional<Duration> ttl;              ///< add
  std::string canary;                       ///< deploy: "5%,25%,100%"; empty: all at once
  Duration step = std::chrono::minutes(2);  ///< deploy, of a canary, like the next ones
  std::string max_errors = "1%";
  std::string max_latency;  ///< "p99=300ms"; empty: any
  std::int64_t min_requests = 100;
  std::string to;                     ///< rollback
  std::string tag;                    ///< deploy; split: the last one; see values_of()
  std::string untag;                  ///< split: the last one; see all_of()
  std::string file = "bellows.yaml";  ///< apply
  std::string tested_file;            ///< route-test
  bool json = false;                  ///< revisions
};

const config::Schema<ServiceFlags>& apply_schema();
const config::Schema<ServiceFlags>& add_schema();
const config::Schema<ServiceFlags>& deploy_schema();
const config::Schema<ServiceFlags>& rollback_schema();
const config::Schema<ServiceFlags>& split_schema();
/// The flags of remove.
const config::Schema<ServiceFlags>& service_order_schema();
const config::Schema<ServiceFlags>& revisions_schema();
const config::Schema<ServiceFlags>& route_test_schema();

/// Reads the flags of an order, some of which may be repeated: each value is checked, the first one
/// is returned. all_of() and values_of() have the others.
config::Checked<ServiceFlags> read_flags(const config::Schema<ServiceFlags>& schema,
                                         const command::Arguments& arguments);

/// Returns all values of a flag that may be repeated, or that of its variable; `names`: its own and
/// its aliases.
std::vector<std::string> all_of(const command::Arguments& arguments,
                                const std::vector<std::string>& names);

/// Parses "5%,25%,100%". nullopt if it is no list of percents.
std::optional<std::vector<std::int32_t>> read_percents(std::string_view text);

/// Returns all values of a flag that may be repeated, NAME=VALUE each, by NAME; the last of several
/// with one NAME counts.
std::map<std::string, std::string> values_of(const command::Arguments& arguments,
                                             const std::string& flag);

}  // namespace bellows::cli
