#include "queue-proxy/core/probe_request.hpp"

namespace bellows::queue_proxy {

ProbeRequest probe_request(const http::RequestHead& head) {
  if (head.fields.has(http::FieldId::kInternal)) {
    if (const auto value = head.fields.find("k-network-probe")) {
      return *value == "queue" ? ProbeRequest::kNetwork : ProbeRequest::kUnknown;
    }
    if (head.fields.find("k-kubelet-probe")) return ProbeRequest::kKubelet;
  }
  const auto agent = head.fields.find(http::FieldId::kUserAgent);
  return agent && agent->starts_with("kube-probe/") ? ProbeRequest::kKubelet : ProbeRequest::kNone;
}

}  // namespace bellows::queue_proxy
