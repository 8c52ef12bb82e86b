// Continues in the background: `bellows up -d`.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/sys/descriptor.hpp"
#include "machine/service/machine.hpp"

namespace bellows::cli {

/// The report of the background process to the one that the user called.
class StartReport {
 public:
  explicit StartReport(sys::Descriptor pipe) : pipe_(std::move(pipe)) {}

  /// Reports that it serves. The first report counts; the other process exits then.
  void started(const machine::MachineAddresses& addresses) { send("+" + text_of(addresses)); }
  void failed(const Error& error) { send("-" + to_string(error)); }

  static std::string text_of(const machine::MachineAddresses& addresses);

 private:
  void send(const std::string& text);

  sys::Descriptor pipe_;
};

/// The process that returned from detach().
struct Detached {
  std::optional<StartReport> report;  ///< of the background process; it has no terminal any more
  std::string said;                   ///< of the foreground process: the message for the user
};

/// Forks. The background process is the leader of a session of its own, its standard input is
/// empty, and its output is appended to the file `log`, which only this user may read. The
/// foreground process waits for its report; the error is the one of the report, or that it ended.
/// Call it before the first thread starts.
Result<Detached> detach(const std::string& log);

/// Returns `given`, or bellows-PORT.log in `state_folder` (made if it is missing).
Result<std::string> detached_log(const std::string& given, const std::string& state_folder,
                                 const Endpoint& admin);

}  // namespace bellows::cli
