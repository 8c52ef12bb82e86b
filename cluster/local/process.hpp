// One child process under a replica-shim.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cluster/local/process_end.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

struct ProcessSpec {
  std::string shim;                  // path of replica-shim
  std::vector<std::string> command;  ///< [0] is the path of the program
  /// The command starts the app and ends: descendants, or something that is none of our processes.
  bool is_starter = false;
  std::vector<std::string> stop = {};  ///< ends the app; [0] is the path; empty: SIGTERM does
  Duration stop_time{};                ///< of `stop`, if this process has ended or kills the app
  std::uint16_t port = 0;  ///< must be free before the start, if need be by `stop`; 0: any
  std::map<std::string, std::string> environment;  ///< added to that of this process
  std::string working_directory;                   ///< empty: that of this process
  std::vector<std::string> groups;  ///< cgroup.procs of each control group that it enters
  std::string user = {};            ///< number; empty: as this process
  std::string group = {};           ///< number; empty: as this process
  bool no_new_privileges = false;   ///< set-user-ID programs do not change the user
  std::optional<std::uint64_t>
      descriptors;  ///< its limit of open descriptors; nullopt: as this process
  std::string
      notify_variable;  ///< not empty: this variable has the number of a pipe to this process
};

/// Reaps processes that ended as children of this one although it did not start them: the orphans
/// that PID 1 gets, such as the app of a shim that was killed. Thread: the io thread.
void reap_orphans();

enum class Stream : std::uint8_t { kOutput, kError, kNotify };

/// The handlers run on the io thread, but never from inside start(). Each may destroy the Process.
struct ProcessHandlers {
  std::function<void()> started;  ///< exec has succeeded
  std::function<void(Stream, std::string_view line)> line;
  /// The last call: all lines have been read, and all descendants have ended.
  std::function<void(const ProcessEnd&)> ended;
  /// Called before `started`: the command could not enter one of its groups.
  std::function<void(const std::string& reason)> ungrouped = {};
  /// The stop command has ended.
  std::function<void(const ProcessEnd&)> stopped = {};
  /// The start command has ended with code 0.
  std::function<void()> launched = {};
};

/// The child has an empty standard input, inherits no other descriptor, and its signals have their
/// default actions. Owner: the caller of start(). The destructor kills the process and all its
/// descendants, and stops the calls of handlers. Thread: the io thread.
class Process {
 public:
  /// Starts the shim. The error names the program: too many processes or descriptors, no working
  /// directory. A failed exec is reported to `ended`.
  static Result<std::unique_ptr<Process>> start(http::net::io_context& io, const ProcessSpec& spec,
                                                ProcessHandlers handlers);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Sends SIGTERM, SIGINT or SIGHUP to the process group of the command; SIGTERM runs the stop
  /// command instead, if there is one.
  void signal(int number);

  /// Sends SIGKILL to the command and all its descendants, after the stop command if there is one;
  /// `ended` follows.
  void kill();

  /// Returns the root of the process tree; -1 once the shim has been reaped.
  pid_t shim_pid() const;

 private:
  struct State;
  explicit Process(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared with its pending waits; they reap the shim
};

}  // namespace bellows::cluster
