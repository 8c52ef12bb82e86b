// The URL of an API server. Within kubernetes/io.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

struct ServerUrl {
  ApiServer server;
  bool is_tls = true;
};

/// Parses "https://10.0.0.1:6443/prefix", "http://localhost:8080", also without a scheme as kubectl
/// does (http). kInvalidSetting names `culprit` and the text.
Result<ServerUrl> parse_server_url(std::string_view text, std::string_view culprit);

}  // namespace bellows::kubernetes
