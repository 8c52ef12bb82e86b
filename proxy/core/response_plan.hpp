// Decides how the body of a response is relayed, and which connections may carry another request
// after it. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "http/core/framing.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// Change of the coding of a body.
enum class BodyCoding : std::uint8_t {
  kAsIs,       ///< relayed as received
  kUnchunked,  ///< chunked coding is removed, because an HTTP/1.0 downstream does not know it
  kChunked,    ///< it is added to a body that ends with its connection: the downstream one is kept,
               ///< and an incomplete body lacks its last chunk
};

/// Conditions of the plan besides the two heads.
struct ResponseConditions {
  bool has_sent_request = true;  ///< the upstream's socket has taken the whole request body
  bool is_draining = false;
};

struct ResponsePlan {
  http::BodyFraming framing;
  BodyCoding coding = BodyCoding::kAsIs;
  bool keeps_downstream = false;  ///< the downstream connection may carry another request
  bool keeps_upstream = false;
  /// Time for which the upstream promises to keep its connection then.
  std::optional<Duration> upstream_keep_alive = {};
};

/// Makes the plan. `response` is a final head, or 101 for a tunnel.
ResponsePlan plan_response(const http::RequestHead& request, const http::ResponseHead& response,
                           const ResponseConditions& conditions);

/// Returns true if a 101 names at least one protocol and the request offered all that it names.
bool is_requested_upgrade(const http::RequestHead& request, const http::ResponseHead& response);

}  // namespace bellows::proxy
