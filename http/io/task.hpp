// The coroutine of the data path. It is started by its owner, waits only through a Waiter
// (reactor.hpp) or another Task, and ends when its owner destroys it: no cancellation to propagate,
// nothing to allocate once warm. Why not Asio's awaitable here: docs/decisions/0011-reactor.md.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

namespace bellows::http {

/// Frames of coroutines, kept by size and handed out again, latest first. Thread: its own.
class FramePool {
 public:
  static void* take(std::size_t bytes);
  static void give_back(void* frame, std::size_t bytes) noexcept;
};

namespace detail {

struct TaskPromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  static void* operator new(std::size_t bytes) { return FramePool::take(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    FramePool::give_back(frame, bytes);
  }

  std::suspend_always initial_suspend() noexcept { return {}; }
  /// An exception here is a defect of ours: outside failures travel as Result.
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

/// A coroutine that gives a T. Lazy: it runs once it is awaited (within its awaiter), or started.
/// Destroying it, at any point where it waits, destroys whatever it awaits and its locals.
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

  /// Runs the outermost task until it first waits. Owner calls it once.
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
