// The owner of coroutines: whoever starts one can stop it and wait for it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/io/net.hpp"

namespace bellows::http {

/// Runs coroutines on one io_context. stop() cancels whatever they wait for; join() waits until all
/// have ended. Owner: the service whose work they are. Thread: the io thread. Destroying a group
/// with running tasks stops them; it must outlive the io_context's last run otherwise.
class TaskGroup {
 public:
  explicit TaskGroup(net::io_context& io);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts `make_task()`. An exception that leaves the task is a defect of ours: logged with
  /// `name`, then aborts. After stop() nothing is started any more.
  void spawn(std::string name, std::function<Task<void>()> make_task);

  /// Cancels every task's current wait; the tasks see operation_aborted and are to leave.
  void stop();

  /// Ends when no task is left, or with kTimeout (naming those left) at `deadline`.
  Task<Result<void>> join(TimePoint deadline);

  std::size_t running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the completion handlers of its tasks
};

/// Sleeps until `deadline`; false if cancelled before.
Task<bool> sleep_until(TimePoint deadline);
Task<bool> sleep_for(Duration span);

}  // namespace bellows::http
