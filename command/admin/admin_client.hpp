// Requests to the admin port of a running program.
#pragma once

#include <functional>
#include <string>

#include "base/endpoint.hpp"
#include "http/io/service_server.hpp"

namespace bellows::command {

/// A running program and the way to its admin port: a connection, or a proxy between. Copies share
/// what `send` holds.
struct AdminServer {
  std::string name;  ///< for errors: "127.0.0.1:8081"
  std::string hint;  ///< what to check if nothing answers
  /// Sends `method target`. Completes with the response, whatever its status, within seconds. An
  /// error of kind kInvalidSetting is about a setting of the caller and complete by itself.
  std::function<http::Awaitable<Result<http::Response>>(std::string method, std::string target)>
      send;
};

/// Returns the program that listens at `admin`. If that is an address of this machine, requests are
/// sent to its control socket as far as this user may open it, because the port has no details.
AdminServer admin_server_at(const Endpoint& admin);

/// Returns the error of a program that listens at `name` and does not answer in time.
Error no_answer(const std::string& name, const Error& timeout);

/// Sends one request and completes with its response. A status other than 2xx becomes the error
/// that its body describes, or one with its text. If nothing answers, the error has the server's
/// name and hint.
http::Awaitable<Result<http::Response>> ask_admin(AdminServer server, std::string method,
                                                  std::string target);

/// Does the same, and waits for it with `io`. Do not call it from an io thread.
Result<http::Response> request_admin(http::net::io_context& io, const AdminServer& server,
                                     std::string method, std::string target);

}  // namespace bellows::command
