#include "http/io/task_group.hpp"

#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <cstdlib>
#include <exception>
#include <list>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"

namespace bellows::http {

struct TaskGroup::State {
  struct Running {
    std::string name;
    net::cancellation_signal signal;
    bool has_begun = false;
  };

  explicit State(const Executor& its_executor) : executor(its_executor) {}

  void ended(std::list<Running>::iterator task) {
    tasks.erase(task);
    if (!tasks.empty()) return;
    for (AsioTimer* joiner : joiners) joiner->cancel();
  }

  Executor executor;
  std::list<Running> tasks;  // a list: signals must not move
  std::vector<AsioTimer*> joiners;
  bool is_stopped = false;
};

namespace {

[[noreturn]] void abort_for(const std::string& task, std::string_view what) {
  sys::log::error("an exception left a task", {{"task", task}, {"exception", what}});
  std::abort();
}

/// Aborts unless the exception is how a stopped task ends.
void check_exception(const std::exception_ptr& exception, const std::string& task,
                     bool is_stopped) {
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& error) {
    if (is_stopped && error.code() == net::error::operation_aborted) return;
    abort_for(task, error.what());
  } catch (const std::exception& error) {
    abort_for(task, error.what());
  } catch (...) {
    abort_for(task, "not a std::exception");
  }
}

/// The timer of one join(); the group refers to it while join() waits.
class Joiner {
 public:
  Joiner(std::vector<AsioTimer*>& joiners, AsioTimer& timer) : joiners_(joiners), timer_(timer) {
    joiners_.push_back(&timer_);
  }
  ~Joiner() { std::erase(joiners_, &timer_); }
  Joiner(const Joiner&) = delete;
  Joiner& operator=(const Joiner&) = delete;

 private:
  std::vector<AsioTimer*>& joiners_;
  AsioTimer& timer_;
};

std::string names_of(const auto& tasks) {
  constexpr std::size_t kMaxNames = 10;
  std::string names;
  std::size_t count = 0;
  for (const auto& task : tasks) {
    if (++count > kMaxNames)
      return names + " and " + std::to_string(tasks.size() - kMaxNames) + " more";
    if (!names.empty()) names += ", ";
    names += task.name;
  }
  return names;
}

}  // namespace

TaskGroup::TaskGroup(net::io_context& io) : state_(std::make_shared<State>(io.get_executor())) {}

TaskGroup::~TaskGroup() {
  stop();
}

void TaskGroup::spawn(std::string name, std::function<Awaitable<void>()> make_task) {
  if (state_->is_stopped) return;
  const auto task = state_->tasks.emplace(state_->tasks.end());
  task->name = std::move(name);
  const std::shared_ptr<State> state = state_;
  auto run = [state, task, make = std::move(make_task)]() -> Awaitable<void> {
    task->has_begun = true;
    if (state->is_stopped) co_return;
    std::exception_ptr exception;
    try {
      co_await make();
    } catch (...) {
      exception = std::current_exception();
    }
    // co_spawn's own last co_await would throw in a stopped task, out of io_context::run().
    co_await net::this_coro::throw_if_cancelled(false);
    if (exception) check_exception(exception, task->name, state->is_stopped);
  };
  net::co_spawn(
      state->executor, std::move(run),
      net::bind_cancellation_slot(
          task->signal.slot(), [state, task](const std::exception_ptr&) { state->ended(task); }));
}

void TaskGroup::stop() {
  if (std::exchange(state_->is_stopped, true)) return;
  for (auto task = state_->tasks.begin(); task != state_->tasks.end();) {
    const auto next = std::next(task);  // a cancelled task may end at once
    // A task that is cancelled before its first step would throw out of co_spawn's own co_await
    // (Boost 1.83).
    if (task->has_begun) task->signal.emit(net::cancellation_type::terminal);
    task = next;
  }
}

Awaitable<Result<void>> TaskGroup::join(TimePoint deadline) {
  const std::shared_ptr<State> state = state_;  // the group may be destroyed meanwhile
  AsioTimer timer(state->executor, to_steady(deadline));
  const Joiner joiner(state->joiners, timer);
  while (!state->tasks.empty()) {
    boost::system::error_code error;
    co_await timer.async_wait(awaiting(error));
    if (!error && !state->tasks.empty()) {
      co_return fail(ErrorKind::kTimeout, "tasks " + names_of(state->tasks),
                     "not ended by the deadline");
    }
  }
  co_return Result<void>();
}

std::size_t TaskGroup::running() const {
  return state_->tasks.size();
}

Awaitable<bool> sleep_until(TimePoint deadline) {
  AsioTimer timer(co_await net::this_coro::executor, to_steady(deadline));
  boost::system::error_code error;
  co_await timer.async_wait(awaiting(error));
  // A timer that has just expired cannot be cancelled any more, but its task can.
  const auto state = co_await net::this_coro::cancellation_state;
  co_return !error && state.cancelled() == net::cancellation_type::none;
}

Awaitable<bool> sleep_for(Duration span) {
  co_return co_await sleep_until(sys::system_clock().now() + span);
}

}  // namespace bellows::http
