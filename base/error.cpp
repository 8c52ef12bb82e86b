#include "base/error.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace bellows {

Error::Error(ErrorKind kind, std::string culprit, std::string message, ErrorSide side)
    : kind_(kind), side_(side), culprit_(std::move(culprit)), message_(std::move(message)) {}

Error Error::on(ErrorSide side) && {
  side_ = side;
  return std::move(*this);
}

Error Error::retryable() && {
  may_retry_ = true;
  return std::move(*this);
}

Error Error::caused_by(Error cause) && {
  cause_ = std::make_shared<const Error>(std::move(cause));
  return std::move(*this);
}

std::string to_string(const Error& error) {
  std::string text = error.culprit() + ": " + error.message();
  if (error.cause() != nullptr) text += " (because " + to_string(*error.cause()) + ")";
  return text;
}

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kInvalidSetting:
      return "invalid-setting";
    case ErrorKind::kMalformed:
      return "malformed";
    case ErrorKind::kTooLarge:
      return "too-large";
    case ErrorKind::kUnsupported:
      return "unsupported";
    case ErrorKind::kNotFound:
      return "not-found";
    case ErrorKind::kGone:
      return "gone";
    case ErrorKind::kConflict:
      return "conflict";
    case ErrorKind::kOverloaded:
      return "overloaded";
    case ErrorKind::kUnavailable:
      return "unavailable";
    case ErrorKind::kRefused:
      return "refused";
    case ErrorKind::kReset:
      return "reset";
    case ErrorKind::kTimeout:
      return "timeout";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kSystem:
      return "system";
  }
  return "unknown";
}

std::optional<ErrorKind> error_kind(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kSystem); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

namespace {

ErrorKind kind_of_errno(int value) {
  switch (value) {
    case ENOENT:
      return ErrorKind::kNotFound;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
      return ErrorKind::kRefused;
    case ECONNRESET:
    case EPIPE:
      return ErrorKind::kReset;
    case ETIMEDOUT:
      return ErrorKind::kTimeout;
    case ECANCELED:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kSystem;
  }
}

}  // namespace

Error system_error(std::string culprit, std::string_view what, int errno_value) {
  std::string message(what);
  message += ": ";
  message += std::strerror(errno_value);  // NOLINT(concurrency-mt-unsafe): glibc's is
  if (const char* name = strerrorname_np(errno_value)) message += std::string(" (") + name + ")";
  return Error(kind_of_errno(errno_value), std::move(culprit), std::move(message));
}

}  // namespace bellows
