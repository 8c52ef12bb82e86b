#include "command/admin/admin_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "http/io/client.hpp"
#include "json/error_page.hpp"

namespace bellows::command {

namespace {

Result<http::Response> fetch_and_wait(const Endpoint& admin, std::string method,
                                      std::string target) {
  http::net::io_context io(1);
  std::optional<Result<http::Response>> result;
  http::net::co_spawn(io, http::fetch(admin, std::move(method), std::move(target)),
                      [&result](std::exception_ptr failure, Result<http::Response> response) {
                        if (failure) std::rethrow_exception(failure);
                        result = std::move(response);
                      });
  io.run();
  return std::move(*result);
}

}  // namespace

Result<http::Response> request_admin(const Endpoint& admin, std::string method,
                                     std::string target) {
  auto response = fetch_and_wait(admin, std::move(method), std::move(target));
  if (!response) {
    return fail(Error(response.error().kind(), "no Bellows at " + to_string(admin),
                      "is it running? --admin ADDRESS names another address")
                    .caused_by(response.error()));
  }
  if (response->status / 100 != 2) {
    if (auto error = json::parse_error_page(response->body)) return fail(*std::move(error));
    std::string text = response->body;
    while (text.ends_with('\n')) text.pop_back();
    return fail(ErrorKind::kUnavailable, to_string(admin),
                "responded " + std::to_string(response->status) + ": " + text);
  }
  return response;
}

}  // namespace bellows::command
