#include "cluster/remote/cluster_server.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "cluster/remote/list_json.hpp"
#include "http/core/status.hpp"

namespace bellows::cluster {

namespace {

constexpr auto kWait = http::net::as_tuple(http::net::use_awaitable_t<http::Executor>());
constexpr Duration kLongestWait = std::chrono::seconds(30);

http::Response error_response(const Error& error) {
  return http::json_response(error_json(error), http::status_of_order(error));
}

http::Response answer(const Result<void>& result) {
  return result ? http::json_response("{}") : error_response(result.error());
}

/// A query parameter; nullopt if it is missing.
Result<std::optional<std::uint64_t>> number_parameter(const http::Request& request,
                                                      std::string_view name) {
  const std::string text = request.parameter(name);
  if (text.empty()) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) {
    return fail(ErrorKind::kMalformed, std::string(name), "\"" + text + "\", want a whole number");
  }
  return number;
}

/// What a client has already, and how long it waits for a newer list.
struct Poll {
  std::optional<std::uint64_t> after;
  std::string boot;
  Duration wait{};
};

Result<Poll> read_poll(const http::Request& request) {
  Poll poll;
  BELLOWS_TRY(poll.after, number_parameter(request, "after"));
  BELLOWS_TRY(const auto wait_ms, number_parameter(request, "wait_ms"));
  poll.boot = request.parameter("boot");
  const auto max_ms = static_cast<std::uint64_t>(to_milliseconds(kLongestWait));
  poll.wait = std::chrono::milliseconds(std::min(wait_ms.value_or(0), max_ms));
  return poll;
}

/// The parts of "/v1/revisions/NAME/scale"; NAME may have a slash in it.
struct RevisionCall {
  RevisionId revision;
  std::string_view verb;
};

RevisionCall read_path(std::string_view path) {
  path.remove_prefix(ClusterServer::kRevisions.size());
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {RevisionId(path), {}};
  return {RevisionId(path.substr(0, slash)), path.substr(slash + 1)};
}

/// nullopt: the verb sets no state.
std::optional<RevisionState> state_of(std::string_view verb) {
  if (verb == ClusterServer::kRetire) return RevisionState::kRetired;
  if (verb == ClusterServer::kPause) return RevisionState::kPaused;
  if (verb == ClusterServer::kResume) return RevisionState::kActive;
  return std::nullopt;
}

std::string random_id(Random& random) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(random.next()));
  return text;
}

}  // namespace

class ClusterServer::Impl {
 public:
  Impl(http::net::io_context& io, Cluster& cluster, const sys::Clock& clock, Random& random)
      : io_(io),
        cluster_(cluster),
        clock_(clock),
        boot_(random_id(random)),
        subscription_(cluster.subscribe([this](const Changes& /*changes*/) { wake_waiters(); })) {}

  http::Awaitable<http::Response> list(http::Request request) {
    const Result<Poll> poll = read_poll(request);
    if (!poll) co_return error_response(poll.error());
    if (poll->boot == boot_) co_await until_newer(poll->after, clock_.now() + poll->wait);
    http::Response response = http::json_response(
        list_json(cluster_.revisions(), clock_.now(), cluster_.activator_secret()));
    response.headers.emplace_back(std::string(kBootHeader), boot_);
    co_return response;
  }

  http::Awaitable<http::Response> order(http::Request request) {
    const RevisionCall call = read_path(request.path);
    if (const auto state = state_of(call.verb)) {
      co_return answer(co_await cluster_.set_state(call.revision, *state));
    }
    if (call.verb == kReport) {
      Result<Report> report = parse_report(request.body);
      if (!report) co_return error_response(report.error());
      cluster_.report(call.revision, std::move(*report));
      co_return answer({});
    }
    if (call.verb != "scale") {
      const Error unknown(
          ErrorKind::kNotFound, request.path,
          "no such call, want /v1/revisions/NAME/scale, /report, /retire, /pause or /resume");
      co_return http::json_response(error_json(unknown), 404);
    }
    Result<ScaleOrder> order = parse_order(request.body);
    if (!order) co_return error_response(order.error());
    co_return answer(co_await cluster_.scale(call.revision, std::move(*order)));
  }

  void release_waiters() {
    is_released_ = true;
    wake_waiters();
  }

 private:
  bool has_newer_than(std::optional<std::uint64_t> version) const {
    return is_released_ || !version || cluster_.revisions().version() != *version;
  }

  http::Awaitable<void> until_newer(std::optional<std::uint64_t> version, TimePoint deadline) {
    http::AsioTimer timer(io_, http::to_steady(deadline));
    waiters_.insert(&timer);
    while (!has_newer_than(version) && clock_.now() < deadline) co_await timer.async_wait(kWait);
    waiters_.erase(&timer);
  }

  void wake_waiters() {
    for (http::AsioTimer* waiter : waiters_) waiter->cancel();
  }

  http::net::io_context& io_;
  Cluster& cluster_;
  const sys::Clock& clock_;
  const std::string boot_;
  std::set<http::AsioTimer*> waiters_;  // each within until_newer
  bool is_released_ = false;
  std::unique_ptr<Subscription> subscription_;
};

ClusterServer::ClusterServer(http::net::io_context& io, Cluster& cluster, const sys::Clock& clock,
                             Random& random)
    : impl_(std::make_unique<Impl>(io, cluster, clock, random)) {}

ClusterServer::~ClusterServer() = default;

void ClusterServer::add_routes(http::ServiceServer& server) {
  server.route("GET", std::string(kList),
               [this](http::Request request) { return impl_->list(std::move(request)); });
  server.route("POST", std::string(kRevisions),
               [this](http::Request request) { return impl_->order(std::move(request)); });
}

void ClusterServer::release_waiters() {
  impl_->release_waiters();
}

}  // namespace bellows::cluster
