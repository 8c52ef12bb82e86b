#include "activator/core/load_report.hpp"

#include <string_view>

#include "proxy/core/hop_headers.hpp"

namespace bellows::activator {
namespace {

std::optional<FailureReason> app_failure(int status, const proxy::HopHeaders& hop) {
  constexpr int kBadGateway = 502;
  constexpr int kGatewayTimeout = 504;
  if (status != kBadGateway && status != kGatewayTimeout) return std::nullopt;
  // The request timed out before the app received it.
  if (hop.timed_out_in_queue) return std::nullopt;
  const std::string_view reason = hop.reason.value_or("");
  for (const FailureReason known : {FailureReason::kRefused, FailureReason::kReset,
                                    FailureReason::kMalformed, FailureReason::kTimeout}) {
    if (reason == to_string(known)) return known;
  }
  return std::nullopt;
}

}  // namespace

LoadReport read_load_report(const http::ResponseHead& head) {
  const proxy::HopHeaders hop = proxy::read_hop_headers(head.fields);
  return {.in_flight = hop.in_flight,
          .queue_ms = hop.queue_ms.value_or(0),
          .app_failure = app_failure(head.status, hop),
          .is_of_app = !hop.reason};
}

}  // namespace bellows::activator
