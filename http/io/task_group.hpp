// The owner of coroutines: starts them, stops them, waits for them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "http/io/net.hpp"

namespace bellows::http {

/// Runs coroutines on one io_context. stop() cancels their waits; join() waits until all have
/// ended. The destruction of a group with running tasks stops them; they end during the
/// io_context's next run, or are freed with it, so objects that they refer to must live until then
/// (join() waits for that). Stop and destroy a group on the io thread while the io_context runs:
/// outside of a run, the completion of an ending task would use freed memory. Owner: the service
/// whose work they are. Thread: the io thread.
class TaskGroup {
 public:
  explicit TaskGroup(net::io_context& io);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  /// Starts `make_task()`; its first part may run before this returns. `make_task` is kept until
  /// the task has ended, so a coroutine lambda may use its captures. An exception that leaves the
  /// task is a defect of the program: it is logged with `name`, then the program aborts. The
  /// exception is operation_aborted after stop(), which is how a stopped task ends. After stop()
  /// nothing starts any more.
  void spawn(std::string name, std::function<Awaitable<void>()> make_task);

  /// Cancels every task's current wait, which ends with operation_aborted. Every later co_await in
  /// such a task throws it, so a task ends even if it ignores the first error.
  void stop();

  /// Returns when no task is left, or with kTimeout (naming the tasks left) at `deadline`. A task
  /// of the group must not call it.
  Awaitable<Result<void>> join(TimePoint deadline);

  std::size_t running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the completion handlers of its tasks
};

/// Sleeps until `deadline`; returns false if cancelled before the sleeper resumes, even if the
/// deadline has passed.
Awaitable<bool> sleep_until(TimePoint deadline);
Awaitable<bool> sleep_for(Duration span);

}  // namespace bellows::http
