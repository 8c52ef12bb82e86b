// The owner of coroutines: starts them, stops them, waits for them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/io/net.hpp"

namespace bellows::http {

/// Runs coroutines on one io_context. stop() cancels what they wait for; join() waits until all
/// have ended. Owner: the service whose work they are. Thread: the io thread. Destroying a group
/// with running tasks stops them; they end during the io_context's next run, or are freed with it,
/// so what they refer to must live until then (join() waits for that). Stop and destroy a group on
/// the io thread while the io_context runs: outside of a run, the completion of a task that is
/// ending would use memory that is gone.
class TaskGroup {
 public:
  explicit TaskGroup(net::io_context& io);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts `make_task()`, its first part perhaps before this returns. `make_task` is kept until
  /// the task has ended, so a coroutine lambda may use its captures. An exception that leaves the
  /// task is a defect of the program: logged with `name`, then aborts; except operation_aborted
  /// after stop(), the way a stopped task leaves. After stop() nothing is started any more.
  void spawn(std::string name, std::function<Awaitable<void>()> make_task);

  /// Cancels every task's current wait, which ends with operation_aborted; every later co_await in
  /// such a task throws it, so a task ends even if it ignores the first error.
  void stop();

  /// Ends when no task is left, or with kTimeout (naming the tasks left) at `deadline`. Must not be
  /// called by one of its own tasks.
  Awaitable<Result<void>> join(TimePoint deadline);

  std::size_t running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the completion handlers of its tasks
};

/// Sleeps until `deadline`; false if cancelled before the sleeper resumes, even if time was up.
Awaitable<bool> sleep_until(TimePoint deadline);
Awaitable<bool> sleep_for(Duration span);

}  // namespace bellows::http
