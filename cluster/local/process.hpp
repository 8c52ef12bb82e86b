// One child process under a replica-keeper: its lines, its end.
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
#include "cluster/local/process_end.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

struct ProcessSpec {
  std::string keeper;                              // path of replica-keeper
  std::vector<std::string> command;                ///< [0] is the path of the program
  std::map<std::string, std::string> environment;  ///< on top of our own
  std::string working_directory;                   ///< empty: ours
  std::vector<std::string> groups;           ///< cgroup.procs of each control group that it enters
  std::optional<std::uint64_t> descriptors;  ///< how many it may have open; nullopt: as many as we
  std::string notify_variable;  ///< not empty: this variable names an inherited pipe to us
};

enum class Stream : std::uint8_t { kOutput, kError, kNotify };

/// Called on the io thread, never from inside start(). Each may destroy the Process.
struct ProcessHandlers {
  std::function<void()> started;  ///< exec has worked
  std::function<void(Stream, std::string_view line)> line;
  /// Last: all its lines have come, and no process that it started is left.
  std::function<void(const ProcessEnd&)> ended;
  /// Before `started`: it is not in one of its groups.
  std::function<void(const std::string& reason)> ungrouped = {};
};

/// Standard input is empty; no descriptor but those above is inherited; signals are at their
/// defaults. Owner: whoever started it. Destroying it kills the process with everything it started
/// and calls no handler any more. Thread: the io thread.
class Process {
 public:
  /// The error names the program: no more processes or descriptors, working directory gone. That
  /// exec failed is told by `ended`.
  static Result<std::unique_ptr<Process>> start(http::net::io_context& io, const ProcessSpec& spec,
                                                ProcessHandlers handlers);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// To the command and its process group; SIGTERM, SIGINT or SIGHUP.
  void signal(int number);

  /// SIGKILL for the command and everything it started; `ended` follows.
  void kill();

  /// Of the keeper: the root of everything this process consists of.
  pid_t keeper_pid() const;

 private:
  struct State;
  explicit Process(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;  // shared with its pending waits; they reap the keeper
};

}  // namespace bellows::cluster
