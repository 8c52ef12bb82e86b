#include "proxy/io/relay_errors.hpp"

#include <cstring>

#include "proxy/core/hop_headers.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::proxy {

namespace {

/// Returns true if the app closed the connection of the request.
bool was_closed(const HopHeaders& hop) {
  return hop.reason == to_string(ErrorKind::kReset) ||
         hop.reason == to_string(ErrorKind::kCancelled);
}

}  // namespace

Error late_body_error() {
  return Error(ErrorKind::kTimeout, "downstream", "its body was slower than min-body-rate",
               ErrorSide::kDownstream);
}

Error RelayErrors::error(ErrorKind kind, ErrorSide side, std::string_view message) const {
  std::string culprit = "downstream";
  if (side != ErrorSide::kDownstream) {
    const std::string_view name = options_.upstream_name;
    culprit = name.empty() ? to_string(upstream_) : std::string(name);
  }
  return Error(kind, std::move(culprit), std::string(message), side);
}

Error RelayErrors::malformed_head(http::HeadFault fault, const http::HeadLimits& limits,
                                  const HeadSettings& settings) const {
  const std::string limit = limit_text(fault, limits, settings);
  const bool is_too_large = !limit.empty();
  std::string message =
      is_too_large ? "responded with too large a head: " : "responded with a malformed head: ";
  message += http::fault_text(fault);
  message += limit;
  return error(is_too_large ? ErrorKind::kTooLarge : ErrorKind::kMalformed, ErrorSide::kUpstream,
               message);
}

Error RelayErrors::closed_before_response(bool is_in_head, int error_number) const {
  if (options_.ended_because != nullptr && !options_.ended_because->empty()) {
    return error(ErrorKind::kReset, ErrorSide::kUpstream, *options_.ended_because);
  }
  std::string message =
      is_in_head ? "closed in the middle of its response's head" : "closed before it responded";
  if (error_number != 0) {
    message += ": ";
    message += std::strerror(error_number);  // NOLINT: glibc's is safe
  }
  return error(ErrorKind::kReset, ErrorSide::kUpstream, message);
}

int RelayErrors::reported_runs(const http::Fields& response) {
  const HopHeaders hop = read_hop_headers(response);
  return hop.runs.value_or(was_closed(hop) ? 1 : 0);
}

Error RelayErrors::retryable_rejection(const http::Fields& response) const {
  const HopHeaders hop = read_hop_headers(response);
  if (hop.reason == to_string(ErrorKind::kOverloaded)) {
    return error(ErrorKind::kOverloaded, ErrorSide::kUpstream, "it has no free slot");
  }
  return was_closed(hop)
             ? error(ErrorKind::kReset, ErrorSide::kUpstream, "its app closed before it responded")
             : error(ErrorKind::kRefused, ErrorSide::kUpstream, "its app could not be reached");
}

}  // namespace bellows::proxy
