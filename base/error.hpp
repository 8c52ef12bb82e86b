// What went wrong for reasons outside our code, as a value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bellows {

/// The kind decides how an error is treated; proxy/core/error_response.hpp is the one place that
/// turns it into an HTTP status. docs/errors.md lists each kind with its status and an example.
enum class ErrorKind : std::uint8_t {
  kInvalidSetting,  ///< a setting, flag or file that cannot be used
  kMalformed,       ///< a message that breaks its format
  kTooLarge,        ///< a message or line over its limit
  kUnsupported,     ///< well formed, but not something we do (CONNECT, an unknown version)
  kNotFound,        ///< no such revision, replica, file, host
  kGone,            ///< it was there and was retired
  kConflict,        ///< somebody else changed it first
  kOverloaded,      ///< a queue or limit is full
  kUnavailable,     ///< nothing there to serve it (no replica ready, still starting, broken)
  kRefused,         ///< connection refused
  kReset,           ///< connection closed or reset in the middle
  kTimeout,         ///< not in time
  kCancelled,       ///< the one who asked went away, or we are stopping
  kSystem,          ///< the operating system said no (errno in the message)
};

/// Whose side of us failed. downstream = the caller, upstream = whom we call.
enum class ErrorSide : std::uint8_t { kDownstream, kUpstream, kInternal };

/// An outside failure. `culprit` names who or what (key, host, replica, file); `message` says the
/// value and what would have been right; `cause`, if any, is what lies beneath.
class Error {
 public:
  Error(ErrorKind kind, std::string culprit, std::string message,
        ErrorSide side = ErrorSide::kInternal);

  ErrorKind kind() const { return kind_; }
  ErrorSide side() const { return side_; }
  const std::string& culprit() const { return culprit_; }
  const std::string& message() const { return message_; }
  const Error* cause() const { return cause_.get(); }

  /// True if nothing was sent yet or the other side said so: the same request may be tried
  /// elsewhere.
  bool may_retry() const { return may_retry_; }

  Error on(ErrorSide side) &&;
  Error retryable() &&;
  Error caused_by(Error cause) &&;

 private:
  ErrorKind kind_;
  ErrorSide side_;
  bool may_retry_ = false;
  std::string culprit_;
  std::string message_;
  std::shared_ptr<const Error> cause_;  // shared by copies of this error
};

/// "culprit: message (because culprit: message ...)", one line.
std::string to_string(const Error& error);

/// The kind as a word for logs, metrics and headers: "invalid-setting", "timeout", ...
std::string_view to_string(ErrorKind kind);

/// The kind with that name; nothing if there is none.
std::optional<ErrorKind> error_kind(std::string_view name);

/// An Error from an errno value: "culprit: what: Permission denied (EACCES)" with the fitting kind.
Error system_error(std::string culprit, std::string_view what, int errno_value);

}  // namespace bellows
