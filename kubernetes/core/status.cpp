#include "kubernetes/core/status.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <utility>

#include "kubernetes/core/field_set.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

constexpr std::string_view kTooLarge = "ResourceVersionTooLarge";

std::string first_line(std::string_view text) {
  constexpr std::size_t kMaxShown = 200;
  const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  text = text.substr(0, text.find_first_of("\r\n"));
  return std::string(text.substr(0, kMaxShown));
}

ErrorKind kind_of(const Status& status) {
  switch (status.code) {
    case 400:
    case 406:
    case 415:
      return ErrorKind::kMalformed;
    case 404:
      return ErrorKind::kNotFound;
    case 405:
      return ErrorKind::kUnsupported;
    case 408:
    case 504:
      return ErrorKind::kTimeout;
    case 409:
      return ErrorKind::kConflict;
    case 410:
      return ErrorKind::kGone;
    case 413:
      return ErrorKind::kTooLarge;
    case 422:
      // A failed test of a JSON patch has no causes ("the server rejected our request due to an
      // error in our request"); a value that validation rejects has the names of its fields.
      return status.causes.empty() ? ErrorKind::kConflict : ErrorKind::kInvalidSetting;
    case 429:
      return ErrorKind::kOverloaded;
    default:
      return ErrorKind::kUnavailable;
  }
}

}  // namespace

bool Status::has_cause(std::string_view wanted) const {
  return std::any_of(causes.begin(), causes.end(),
                     [wanted](const StatusCause& cause) { return cause.reason == wanted; });
}

bool Status::is_version_too_large() const {
  // Servers before 1.17 have no cause, only the text.
  return has_cause(kTooLarge) || message.find("Too large resource version") != std::string::npos;
}

const FieldSet& status_fields() {
  static const FieldSet kFields{"/status", "/message", "/reason",
                                "/code",   "/details", "/metadata/continue"};
  return kFields;
}

Status read_status(const boost::json::object& object) {
  std::optional<Error> wrong_type;  // members of a wrong type stay empty
  const Fields from(object, "Status", wrong_type);
  Status status;
  status.code = from.int32("code");
  status.reason = from.text("reason");
  status.message = from.text("message");
  status.continue_token = from.object("metadata").text("continue");
  const Fields details = from.object("details");
  if (const std::int64_t seconds = details.integer("retryAfterSeconds"); seconds > 0) {
    constexpr std::int64_t kLongest = 3600;
    status.retry_after = std::chrono::seconds(std::min(seconds, kLongest));
  }
  details.each("causes", [&status](const Fields& cause) {
    status.causes.push_back({.reason = cause.text("reason"),
                             .message = cause.text("message"),
                             .field = cause.text("field")});
  });
  return status;
}

Status parse_status(int http_status, std::string_view body) {
  Status status;
  if (const auto document = parse_document(body); document && (*document)->contains("kind")) {
    status = read_status(**document);
  }
  if (status.message.empty()) status.message = first_line(body);
  status.code = http_status;
  return status;
}

Error status_error(std::string culprit, const Status& status) {
  std::string message = "HTTP " + std::to_string(status.code);
  if (!status.reason.empty()) message += " " + status.reason;
  if (!status.message.empty()) message += ": " + status.message;
  return {kind_of(status), std::move(culprit), std::move(message), ErrorSide::kUpstream};
}

}  // namespace bellows::kubernetes
