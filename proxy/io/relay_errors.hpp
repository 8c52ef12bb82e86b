// The errors that end a relay. Each names the side that failed.
#pragma once

#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "base/error.hpp"
#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"
#include "proxy/io/exchange.hpp"

namespace bellows::proxy {

/// Makes a 408: the caller sends its body too slowly.
Error late_body_error();

/// Makes errors of a request that is forwarded to `upstream` with `options`, both of which must
/// outlive it.
class RelayErrors {
 public:
  RelayErrors(const ForwardOptions& options, const Endpoint& upstream)
      : options_(options), upstream_(upstream) {}

  /// Makes an error whose culprit is "downstream", or the upstream's name or address.
  Error error(ErrorKind kind, ErrorSide side, std::string_view message) const;

  /// Makes the error of a malformed head in the upstream's response. A head that is merely too
  /// large is kTooLarge, because that does not show that the replica is unhealthy.
  Error malformed_head(http::HeadFault fault, const http::HeadLimits& limits,
                       const HeadSettings& settings) const;
  /// Makes the error of an upstream that closed before its response began. `error` is an errno, or
  /// 0.
  Error closed_before_response(bool is_in_head, int error) const;
  /// Returns how often the app of an inner hop that rejected the request may have received it.
  static int reported_runs(const http::Fields& response);
  /// Makes the error of an inner hop's rejection after which the request may be retried
  /// (X-Bellows-Retry).
  Error retryable_rejection(const http::Fields& response) const;

 private:
  const ForwardOptions& options_;
  const Endpoint& upstream_;
};

}  // namespace bellows::proxy
