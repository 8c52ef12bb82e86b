// The file of `bellows up`: read at the start, and again by SIGHUP and `bellows reload`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/bellows_file.hpp"
#include "machine/core/file_services.hpp"
#include "machine/service/control_pages.hpp"
#include "machine/service/machine.hpp"

namespace bellows::machine {

/// Owner: a command. Thread: the io thread.
class SettingsFile {
 public:
  /// The layers of `overrides` win over the file. "-" is standard input.
  SettingsFile(std::string path, std::vector<config::Layer> overrides)
      : path_(std::move(path)), overrides_(std::move(overrides)) {}

  /// Reads the file. The errors are all problems of the file, each with its line.
  config::Checked<config::UpSettings> read();

  /// The settings that the machine was started with.
  void set_running(config::RunSettings settings) { running_ = std::move(settings); }

  /// Applies the changes of the file since it was last read: adds, changes and removes services. It
  /// applies nothing if the file has an error. It logs what it returns, and reads the file beside
  /// the io thread.
  http::Awaitable<Reloaded> reload(http::net::io_context& io, Machine& machine);

  /// Reads the text of a settings file `name`, for `bellows apply`.
  Result<SettingsRead> read(const std::string& name, const std::string& text) const;

 private:
  config::Checked<Document> read_document() const;
  Reloaded rejected(const std::string& because) const;
  Reloaded apply(const config::UpSettings& requested, const FileServices& file,
                 Machine& machine) const;

  std::string path_;
  std::vector<config::Layer> overrides_;
  config::RunSettings running_;
};

}  // namespace bellows::machine
