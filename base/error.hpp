// Failures with causes outside our code, as values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace bellows {

/// The kind decides how an error is handled. Only http/core/status.hpp maps it to an
/// HTTP status. docs/errors.md lists each kind with its status and an example.
enum class ErrorKind : std::uint8_t {
  kInvalidSetting,  ///< a setting, flag or file that cannot be used
  kMalformed,       ///< a message that breaks its format
  kTooLarge,        ///< a message or line larger than its limit
  kUnsupported,     ///< well formed but not supported (CONNECT, an unknown version)
  kNotFound,        ///< no such revision, replica, file, host
  kGone,            ///< it existed and was retired
  kConflict,        ///< it was changed concurrently
  kOverloaded,      ///< a queue or limit is full
  kUnavailable,     ///< nothing can serve it (no replica ready, still starting, broken)
  kRefused,         ///< connection refused
  kReset,           ///< connection closed or reset during an exchange
  kTimeout,         ///< a time limit was exceeded
  kCancelled,       ///< the client disconnected, or we are shutting down
  kSystem,          ///< an error of the operating system (errno in the message)
};

/// The side that failed. Downstream is the client, upstream the server that we call.
enum class ErrorSide : std::uint8_t { kDownstream, kUpstream, kInternal };

/// A failure. `culprit` names what failed (key, host, replica, file); `message` has the value and
/// what is valid; `cause`, if any, is the underlying error.
class Error {
 public:
  Error(ErrorKind kind, std::string culprit, std::string message,
        ErrorSide side = ErrorSide::kInternal);

  ErrorKind kind() const { return kind_; }
  ErrorSide side() const { return side_; }
  const std::string& culprit() const { return culprit_; }
  const std::string& message() const { return message_; }
  const Error* cause() const { return cause_.get(); }

  /// Returns true if nothing was sent yet or the peer allows a retry: the same request may be sent
  /// to another replica.
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

/// Returns "culprit: message (because culprit: message ...)" as one line.
std::string to_string(const Error& error);

/// Returns the name of the kind in logs, metrics and headers: "invalid-setting", "timeout", ...
std::string_view to_string(ErrorKind kind);

/// Returns the kind with that name; nullopt if there is none.
std::optional<ErrorKind> error_kind(std::string_view name);

/// Makes an Error with its kind from an errno value: "culprit: what: Permission denied (EACCES)".
Error system_error(std::string culprit, std::string_view what, int errno_value);

}  // namespace bellows
