#include "command/admin/admin_client.hpp"

#include <utility>

#include "command/admin/run_blocking.hpp"
#include "http/io/client.hpp"
#include "json/error_page.hpp"

namespace bellows::command {

namespace {

/// The error of a response other than 2xx: what its body describes, or its text.
Error response_error(const AdminServer& server, const http::Response& response) {
  if (auto error = json::parse_error_page(response.body)) return *std::move(error);
  std::string text = response.body;
  while (text.ends_with('\n')) text.pop_back();
  return {ErrorKind::kUnavailable, server.name,
          "responded " + std::to_string(response.status) + ": " + text};
}

}  // namespace

AdminServer admin_server_at(const Endpoint& admin) {
  return {.name = to_string(admin),
          .hint = "is it running? --admin ADDRESS names another address",
          .send = [admin](std::string method, std::string target) {
            return http::fetch(admin, std::move(method), std::move(target));
          }};
}

http::Awaitable<Result<http::Response>> ask_admin(AdminServer server, std::string method,
                                                  std::string target) {
  auto response = co_await server.send(std::move(method), std::move(target));
  if (!response) {
    if (response.error().kind() == ErrorKind::kInvalidSetting) co_return response;
    co_return fail(Error(response.error().kind(), "no Bellows at " + server.name, server.hint)
                       .caused_by(response.error()));
  }
  if (response->status / 100 != 2) co_return fail(response_error(server, *response));
  co_return response;
}

Result<http::Response> request_admin(http::net::io_context& io, const AdminServer& server,
                                     std::string method, std::string target) {
  return run_blocking(io, ask_admin(server, std::move(method), std::move(target)));
}

}  // namespace bellows::command
