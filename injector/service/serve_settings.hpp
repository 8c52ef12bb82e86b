// Flags of `injector serve`.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "config/log_settings.hpp"
#include "config/schema.hpp"
#include "injector/service/pod_settings.hpp"

namespace bellows::injector {

struct ServeSettings {
  /// The port that the Service of deploy/injector leads to.
  Endpoint listen{.host = "0.0.0.0", .port = 8443, .unix_path = {}};
  std::string tls_certificate;  ///< path
  std::string tls_key;          ///< path
  PodSettings pods;
  config::LogSettings log;
};

const config::Schema<ServeSettings>& serve_schema();

}  // namespace bellows::injector
