#include "config/request_policies.hpp"

namespace bellows::config {

Duration drain_time(std::optional<Duration> explicit_time, Duration request_timeout) {
  if (explicit_time) return *explicit_time;
  return request_timeout > Duration::zero() ? request_timeout : std::chrono::minutes(5);
}

std::string to_string(AppProtocol protocol) {
  switch (protocol) {
    case AppProtocol::kAuto:
      return "auto";
    case AppProtocol::kHttp1:
      return "http1";
    case AppProtocol::kH2c:
      break;
  }
  return "h2c";
}

}  // namespace bellows::config
