// One request to the admin port of a running program.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "http/io/service_server.hpp"

namespace bellows::command {

/// Sends `method target` and waits for the response, at most a few seconds. A response other than
/// 2xx becomes the error that its body describes, or one with its text. If nothing listens at
/// `admin`, the error names the address. Blocks; call it from no io thread.
Result<http::Response> request_admin(const Endpoint& admin, std::string method, std::string target);

}  // namespace bellows::command
