// metav1.Status: the API server's description of a failed request.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/time.hpp"

namespace bellows::kubernetes {

class FieldSet;

struct StatusCause {
  std::string reason;  ///< "FieldValueInvalid", "ResourceVersionTooLarge", ...
  std::string message;
  std::string field;
};

struct Status {
  int code = 0;  ///< HTTP's, 410; 0: unset
  std::string reason =
      {};  ///< "Expired", "NotFound", "Conflict", "AlreadyExists", ...; may be empty
  std::string message = {};  ///< one line for people
  std::vector<StatusCause> causes = {};
  std::optional<Duration> retry_after = {};
  std::string continue_token = {};  ///< of a 410 in the middle of a paged list

  /// Returns true if the requested resource version does not exist yet: the server lags, or its
  /// data was replaced.
  bool is_version_too_large() const;
  bool has_cause(std::string_view reason) const;
};

/// Parses the Status of a response's body; for another body (a proxy's page, an empty one), its
/// first line becomes the message.
Status parse_status(int http_status, std::string_view body);

/// Reads the Status of a watch's ERROR event. It never fails: missing members stay empty.
Status read_status(const boost::json::object& object);

/// Returns the paths that read_status() reads.
const FieldSet& status_fields();

/// Makes the Error of a failed request. `culprit` names verb and object: "patch deployments.apps
/// shop/web". Message: "HTTP 409 Conflict: ...". Kinds: 404 kNotFound, 409 kConflict, 410 kGone,
/// 422 kConflict if a test of a patch failed, else kInvalidSetting, 400 kMalformed, 401 and 403
/// kUnavailable (not retried at once), 413 kTooLarge, 429 kOverloaded, 408 and 504 kTimeout, other
/// 5xx kUnavailable.
Error status_error(std::string culprit, const Status& status);

}  // namespace bellows::kubernetes
