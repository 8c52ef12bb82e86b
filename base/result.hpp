// The return type of functions that can fail for outside reasons.
#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/error.hpp"

namespace bellows {

/// A value or an Error. Result<void> is success or an Error.
template <class T>
using Result = tl::expected<T, Error>;

/// Makes the error of a function: `return fail(ErrorKind::kTimeout, "replica web-1", "no answer
/// within 5s");`
template <class... Args>
tl::unexpected<Error> fail(Args&&... args) {
  return tl::unexpected<Error>(Error(std::forward<Args>(args)...));
}

inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace bellows

// NOLINTBEGIN(bugprone-macro-parentheses): declarations and keywords cannot be parenthesized.
#define BELLOWS_CONCAT_(a, b) a##b
#define BELLOWS_CONCAT(a, b) BELLOWS_CONCAT_(a, b)

/// BELLOWS_TRY(auto value, expression) assigns the value, or returns the error from this function.
#define BELLOWS_TRY(target, expression) \
  BELLOWS_TRY_(target, expression, return, BELLOWS_CONCAT(result_, __LINE__))
/// Does the same in a coroutine.
#define BELLOWS_CO_TRY(target, expression) \
  BELLOWS_TRY_(target, expression, co_return, BELLOWS_CONCAT(result_, __LINE__))
#define BELLOWS_TRY_(target, expression, leave, name)        \
  auto name = (expression);                                  \
  if (!name) leave ::bellows::fail(std::move(name).error()); \
  target = std::move(name).value()

/// BELLOWS_CHECKED(expression) continues if a Result<void> is a success, else returns the error
/// from this function.
#define BELLOWS_CHECKED(expression) \
  if (auto checked_ = (expression); !checked_) return ::bellows::fail(std::move(checked_).error())
/// Does the same in a coroutine.
#define BELLOWS_CO_CHECKED(expression)         \
  if (auto checked_ = (expression); !checked_) \
  co_return ::bellows::fail(std::move(checked_).error())
// NOLINTEND(bugprone-macro-parentheses)
