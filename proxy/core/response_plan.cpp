#include "proxy/core/response_plan.hpp"

#include <string_view>

#include "proxy/core/keep_alive_time.hpp"

namespace bellows::proxy {

namespace {

using http::BodyEnd;

constexpr int kSwitchingProtocols = 101;

/// Returns the coding. HTTP/1.0 has no chunks: such a downstream gets only the data, and the end of
/// the connection ends them.
BodyCoding coding_of(BodyEnd end, const http::RequestHead& request) {
  const bool is_http_1_0 = request.minor_version == 0;
  if (end == BodyEnd::kChunked && is_http_1_0) return BodyCoding::kUnchunked;
  return end == BodyEnd::kClose && !is_http_1_0 ? BodyCoding::kChunked : BodyCoding::kAsIs;
}

}  // namespace

ResponsePlan plan_response(const http::RequestHead& request, const http::ResponseHead& response,
                           const ResponseConditions& conditions) {
  if (response.status == kSwitchingProtocols) return {.framing = {BodyEnd::kClose}};
  ResponsePlan plan;
  plan.framing = http::response_body(response, request.method);
  plan.coding = coding_of(plan.framing.end, request);
  const bool ends_with_connection =
      plan.coding == BodyCoding::kUnchunked ||
      (plan.framing.end == BodyEnd::kClose && plan.coding != BodyCoding::kChunked);
  plan.keeps_downstream = request.keeps_alive() && !conditions.is_draining &&
                          !ends_with_connection && conditions.has_sent_request;
  plan.keeps_upstream = plan.framing.end != BodyEnd::kClose && response.keeps_alive();
  if (plan.keeps_upstream) plan.upstream_keep_alive = promised_keep_alive(response.fields);
  return plan;
}

bool is_requested_upgrade(const http::RequestHead& request, const http::ResponseHead& response) {
  if (!request.requests_upgrade()) return false;
  bool is_any = false;
  bool are_all = true;
  http::for_each_upgrade(response.fields, [&](std::string_view chosen) {
    is_any = true;
    bool is_offered = false;
    http::for_each_upgrade(request.fields, [&](std::string_view offered) {
      is_offered |= http::equals_ignore_case(offered, chosen);
    });
    are_all &= is_offered;
  });
  return is_any && are_all;
}

}  // namespace bellows::proxy
