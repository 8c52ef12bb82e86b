// Asks the admin port of a running Bellows, one question at a time.
#pragma once

#include <string>

#include "base/endpoint.hpp"
#include "http/io/service_server.hpp"

namespace bellows::cli {

/// The answer to `method target`, whatever it takes up to a few seconds. An answer other than 2xx
/// is the error that it tells, or one with its text; nobody there is one that says where was
/// looked.
Result<http::Response> ask_admin(const Endpoint& admin, std::string method, std::string target);

}  // namespace bellows::cli
