#include "injector/service/program.hpp"

#include <chrono>
#include <utility>

#include "base/sys/log.hpp"
#include "base/version.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_request.hpp"

namespace bellows::injector {

namespace {

constexpr Duration kStopTime = std::chrono::seconds(5);
/// Nodes take a while to follow the end of a pod. A question that nobody answers is a pod without a
/// queue-proxy.
constexpr Duration kLinger = std::chrono::seconds(5);
constexpr Duration kAskInterval = std::chrono::minutes(1);
constexpr Duration kAskAgain = std::chrono::seconds(2);

/// Every name is accepted: the API server calls the Service's, and a question changes nothing.
http::ServiceServerOptions server_options(http::TlsContext& tls) {
  http::ServiceServerOptions options;
  options.max_body_bytes = kMaxReviewBytes;
  options.max_connections = 1000;
  options.access = std::nullopt;
  options.tls = &tls;
  return options;
}

}  // namespace

Program::Program(http::net::io_context& io, const sys::Clock& clock, const ServeSettings& settings,
                 InjectOptions options, http::TlsContext& tls, kubernetes::ApiClient* api)
    : clock_(clock),
      listen_(settings.listen),
      api_(api),
      metrics_(kVersion),
      webhook_(clock, metrics_, std::move(options)),
      server_(io, server_options(tls)),
      tasks_(io),
      end_(io),
      knows_version_(api == nullptr) {
  webhook_.add_route(server_);
  http::add_admin_pages(server_, {.readiness = [this] { return readiness(); },
                                  .metrics = [this] { return metrics_.expose(); }});
}

http::Readiness Program::readiness() const {
  if (is_ending_) return {false, "it is ending"};
  return {knows_version_, knows_version_ ? "" : ask_error_};
}

Result<void> Program::start() {
  BELLOWS_TRY(address_, server_.listen(listen_));
  sys::log::info("listening", {{"address", to_string(address_)}});
  if (api_ != nullptr) tasks_.spawn("version", [this] { return keep_asking(); });
  return {};
}

http::Awaitable<void> Program::keep_asking() {
  bool has_slept = true;
  while (has_slept) {
    co_await ask();
    has_slept = co_await http::sleep_for(knows_version_ ? kAskInterval : kAskAgain);
  }
}

/// An answer that does not come leaves what is known in force.
http::Awaitable<void> Program::ask() {
  const auto body = co_await api_->call(kubernetes::ApiRequest("/version"));
  const auto version = body ? kubernetes::parse_version(*body)
                            : Result<kubernetes::ServerVersion>(fail(body.error()));
  if (!version) {
    ask_error_ = to_string(version.error());
    sys::log::warning("API server not responding", {{"error", ask_error_}});
    co_return;
  }
  const bool is_native = kubernetes::has_native_sidecars(*version);
  webhook_.set_native(is_native);
  if (std::exchange(knows_version_, true)) co_return;
  sys::log::info("API server", {{"version", version->git_version},
                                {"native_sidecars", is_native ? "true" : "false"}});
}

http::Awaitable<void> Program::serve_until_end() {
  co_await end_.wait();
  is_ending_ = true;
  co_await http::sleep_for(kLinger);
  const TimePoint deadline = clock_.now() + kStopTime;
  tasks_.stop();
  co_await server_.stop(deadline);
  const auto joined = co_await tasks_.join(deadline);
  if (!joined) sys::log::warning("tasks did not end", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::injector
