// All checks of `bellows check` on one machine, in order.
#pragma once

#include <string>
#include <vector>

#include "cli/check/item.hpp"
#include "cli/client_settings.hpp"
#include "config/bellows_file.hpp"
#include "http/io/net.hpp"

namespace bellows::cli {

/// Owner: a command. Thread: that of the command.
class MachineChecks {
 public:
  /// `io` and `settings` outlive it.
  MachineChecks(http::net::io_context& io, const ClientSettings& settings)
      : io_(io), settings_(settings) {}

  /// `file`: empty for bellows.yaml of this folder, if there is one. Fails if `file` cannot be
  /// read.
  Result<std::vector<CheckItem>> run(const std::string& file);

 private:
  void add(const std::vector<CheckItem>& items);
  void add_settings(const std::string& file, const config::Checked<config::UpSettings>& settings);
  bool check_running(const Endpoint& admin, const std::vector<config::Service>& services);
  bool add_silent(const Endpoint& admin, const Error& error);

  http::net::io_context& io_;
  const ClientSettings& settings_;
  std::vector<CheckItem> items_;
};

}  // namespace bellows::cli
