#include "cli/status/status_follower.hpp"

#include "http/io/client.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cli {

http::Awaitable<Result<Status>> fetch_status(Endpoint admin) {
  const auto response = co_await http::fetch(admin, "GET", "/v1/status");
  if (!response) co_return fail(response.error());
  if (response->status != 200) {
    co_return fail(
        ErrorKind::kUnavailable, to_string(admin),
        "responded " + std::to_string(response->status) + " to GET /v1/status; want 200");
  }
  co_return parse_status(response->body);
}

http::Awaitable<Result<void>> follow_status(Endpoint admin, Duration interval,
                                            std::function<bool(const Status&)> on_status) {
  while (true) {
    const auto status = co_await fetch_status(admin);
    if (!status) co_return fail(status.error());
    if (!on_status(*status)) co_return Result<void>();
    const bool slept = co_await http::sleep_for(interval);
    if (!slept) co_return Result<void>();
  }
}

}  // namespace bellows::cli
