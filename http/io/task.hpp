// The coroutine of the data path. Its owner starts it; it waits only through a Waiter (reactor.hpp)
// or for another Task, and ends when its owner destroys it. So there is no cancellation to
// propagate, and no allocation once frames are pooled. docs/decisions/event-loop.md explains why it
// is not Asio's awaitable.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "base/frame_pool.hpp"

namespace bellows::http {

namespace detail {

struct TaskPromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    FramePool::deallocate(frame, bytes);
  }

  std::suspend_always initial_suspend() noexcept { return {}; }
  /// Aborts: an exception here is a defect of the program, because outside failures are a Result.
  [[noreturn]] void unhandled_exception() { std::terminate(); }
};

struct TaskFinal {
  bool await_ready() noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
    return ended.promise().continuation;
  }
  void await_resume() noexcept {}
};

template <class T>
struct TaskPromise;

}  // namespace detail

/// A coroutine that returns a T. It is lazy: it runs once it is awaited (within its awaiter) or
/// started. Its destruction while it waits destroys its locals and what it awaits.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      destroy();
      handle_ = std::exchange(other.handle_, nullptr);
    }
    return *this;
  }
  ~Task() { destroy(); }

  /// Runs the outermost task until it first waits. The owner calls it once.
  void start() { handle_.resume(); }
  bool is_done() const { return !handle_ || handle_.done(); }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().continuation = awaiter;
    return handle_;
  }
  T await_resume() { return handle_.promise().take_result(); }

 private:
  void destroy() {
    if (handle_) handle_.destroy();
    handle_ = nullptr;
  }

  Handle handle_ = nullptr;
};

namespace detail {

template <class T>
struct TaskPromise final : TaskPromiseBase {
  std::optional<T> result;

  Task<T> get_return_object() {
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
  }
  TaskFinal final_suspend() noexcept { return {}; }
  template <class U>
  void return_value(U&& value) {
    result.emplace(std::forward<U>(value));
  }
  T take_result() { return std::move(*result); }
};

template <>
struct TaskPromise<void> final : TaskPromiseBase {
  Task<void> get_return_object() {
    return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
  }
  TaskFinal final_suspend() noexcept { return {}; }
  void return_void() {}
  void take_result() {}
};

}  // namespace detail

}  // namespace bellows::http
