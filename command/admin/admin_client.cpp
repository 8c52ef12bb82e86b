#include "command/admin/admin_client.hpp"

#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "command/admin/run_blocking.hpp"
#include "http/io/client.hpp"
#include "json/error_page.hpp"
#include "json/object.hpp"

namespace bellows::command {

namespace {

/// Returns the error of a response other than 2xx: what its body describes, or its text.
Error response_error(const AdminServer& server, const http::Response& response) {
  if (auto error = json::parse_error_page(response.body)) return *std::move(error);
  std::string text = response.body;
  while (text.ends_with('\n')) text.pop_back();
  return {ErrorKind::kUnavailable, server.name,
          "responded " + std::to_string(response.status) + ": " + text};
}

using Response = Result<http::Response>;

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// Returns the control socket that the program at `admin` names; empty: there is none that this
/// user may open. An error is one of a program that does not answer.
http::Awaitable<Result<std::string>> find_socket(Endpoint admin) {
  const Response page = co_await http::fetch(std::move(admin), "GET", "/v1/control");
  if (!page && page.error().kind() == ErrorKind::kTimeout) co_return fail(page.error());
  if (!page || page->status != 200) co_return "";
  const auto control = json::parse(page->body, "/v1/control");
  if (!control || !control->has("socket")) co_return "";
  const std::string path = control->text("socket").value_or("");
  co_return ::access(path.c_str(), R_OK | W_OK) == 0 ? path : "";
}

/// `socket`: that of an earlier request; nullopt: not looked up yet.
http::Awaitable<Response> ask(Endpoint admin, std::shared_ptr<std::optional<std::string>> socket,
                              std::string method, std::string target) {
  if (!*socket) {
    std::string path;
    if (is_loopback(admin.host)) {
      BELLOWS_CO_TRY(path, co_await find_socket(admin));
    }
    *socket = std::move(path);
  }
  if (!(*socket)->empty()) {
    const Endpoint control{.host = {}, .port = 0, .unix_path = **socket};
    Response response = co_await http::fetch(control, method, target);
    if (response) co_return response;
    socket->reset();  // the program has ended, or another one has replaced it
  }
  co_return co_await http::fetch(std::move(admin), std::move(method), std::move(target));
}

}  // namespace

Error no_answer(const std::string& name, const Error& timeout) {
  Error error(ErrorKind::kTimeout, name,
              "it does not answer; Bellows is busy, or another program listens there");
  return std::move(error).caused_by(timeout);
}

AdminServer admin_server_at(const Endpoint& admin) {
  auto socket = std::make_shared<std::optional<std::string>>();  // owners: copies of the server
  return {.name = to_string(admin),
          .hint = "is it running? --admin ADDRESS names another address",
          .send = [admin, socket = std::move(socket)](std::string method, std::string target) {
            return ask(admin, socket, std::move(method), std::move(target));
          }};
}

http::Awaitable<Result<http::Response>> ask_admin(AdminServer server, std::string method,
                                                  std::string target) {
  auto response = co_await server.send(std::move(method), std::move(target));
  if (!response) {
    if (response.error().kind() == ErrorKind::kInvalidSetting) co_return response;
    if (response.error().kind() == ErrorKind::kTimeout) {
      co_return fail(no_answer(server.name, response.error()));
    }
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
