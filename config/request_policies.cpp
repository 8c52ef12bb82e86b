#include "config/request_policies.hpp"

namespace bellows::config {

Duration drain_time(std::optional<Duration> explicit_time, Duration request_timeout) {
  if (explicit_time) return *explicit_time;
  return request_timeout > Duration::zero() ? request_timeout : std::chrono::minutes(5);
}

std::vector<std::pair<std::string, LoadBalancing>> load_balancing_names() {
  return {{"least-loaded", LoadBalancing::kLeastLoaded},
          {"knative", LoadBalancing::kKnative},
          {"random-choice-2", LoadBalancing::kRandomChoice2},
          {"first-available", LoadBalancing::kFirstAvailable},
          {"round-robin", LoadBalancing::kRoundRobin}};
}

std::vector<std::pair<std::string, QueueTimeHeader>> queue_time_header_names() {
  return {{"asked", QueueTimeHeader::kAsked},
          {"waited", QueueTimeHeader::kWaited},
          {"always", QueueTimeHeader::kAlways}};
}

std::vector<std::pair<std::string, ErrorDetail>> error_detail_names() {
  return {{"generic", ErrorDetail::kGeneric}, {"full", ErrorDetail::kFull}};
}

std::vector<std::pair<std::string, AppProtocol>> app_protocol_names() {
  return {{"auto", AppProtocol::kAuto}, {"http1", AppProtocol::kHttp1}, {"h2c", AppProtocol::kH2c}};
}

std::string to_string(AppProtocol protocol) {
  for (const auto& [name, value] : app_protocol_names()) {
    if (value == protocol) return name;
  }
  return {};
}

}  // namespace bellows::config
