#include "cli/status/status_follower.hpp"

#include <utility>

#include "http/io/task_group.hpp"

namespace bellows::cli {

http::Awaitable<Result<Status>> fetch_status(command::AdminServer server) {
  const auto response = co_await command::ask_admin(std::move(server), "GET", "/v1/status");
  if (!response) co_return fail(response.error());
  co_return parse_status(response->body);
}

http::Awaitable<Result<void>> follow_status(command::AdminServer server, Duration interval,
                                            std::function<bool(Status)> on_status) {
  while (true) {
    auto status = co_await fetch_status(server);
    if (!status) co_return fail(status.error());
    const bool goes_on = on_status(*std::move(status));
    if (!goes_on) co_return Result<void>();
    const bool slept = co_await http::sleep_for(interval);
    if (!slept) co_return Result<void>();
  }
}

}  // namespace bellows::cli
