// The file of `bellows up`: read at the start, and again by SIGHUP and `bellows reload`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/machine/control_pages.hpp"
#include "cli/machine/reload.hpp"
#include "config/bellows_file.hpp"

namespace bellows::cli {

class Machine;

/// Owner: a command. Thread: the io thread.
class SettingsFile {
 public:
  /// The layers of `overrides` win over the file. "-" is standard input.
  SettingsFile(std::string path, std::vector<config::Layer> overrides)
      : path_(std::move(path)), overrides_(std::move(overrides)) {}

  /// Everything in the file that is not valid, each with its line.
  config::Checked<config::UpSettings> read();

  /// The settings that the machine was started with.
  void set_running(config::UpSettings settings) { running_ = std::move(settings); }

  /// Applies all settings of the file that can change at run time, or none if the file has an
  /// error. Logs what it returns.
  Reloaded reload(Machine& machine);

 private:
  config::Checked<Document> read_document() const;
  Reloaded rejected(const std::string& because) const;
  void apply(const Reload::Service& service, Machine& machine, Reloaded& reloaded);

  std::string path_;
  std::vector<config::Layer> overrides_;
  config::UpSettings running_;
};

}  // namespace bellows::cli
