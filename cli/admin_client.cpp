#include "cli/admin_client.hpp"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "http/io/client.hpp"
#include "json/error_page.hpp"

namespace bellows::cli {

namespace {

Result<http::Response> fetch_and_wait(const Endpoint& admin, std::string method,
                                      std::string target) {
  http::net::io_context io(1);
  std::optional<Result<http::Response>> answer;
  http::net::co_spawn(io, http::fetch(admin, std::move(method), std::move(target)),
                      [&answer](std::exception_ptr failure, Result<http::Response> response) {
                        if (failure) std::rethrow_exception(failure);
                        answer = std::move(response);
                      });
  io.run();
  return std::move(*answer);
}

}  // namespace

Result<http::Response> ask_admin(const Endpoint& admin, std::string method, std::string target) {
  auto answer = fetch_and_wait(admin, std::move(method), std::move(target));
  if (!answer) {
    return fail(Error(answer.error().kind(), "no Bellows at " + to_string(admin),
                      "is it running? --admin ADDRESS names another place")
                    .caused_by(answer.error()));
  }
  if (answer->status / 100 != 2) {
    if (auto told = json::parse_error_page(answer->body)) return fail(*std::move(told));
    std::string text = answer->body;
    while (text.ends_with('\n')) text.pop_back();
    return fail(ErrorKind::kUnavailable, to_string(admin),
                "answered " + std::to_string(answer->status) + ": " + text);
  }
  return answer;
}

}  // namespace bellows::cli
