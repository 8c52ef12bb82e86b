#include "queue-proxy/service/prober.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace bellows::queue_proxy {

Prober::Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe,
               ProbeSchedule schedule, ProberCallbacks callbacks)
    : clock_(clock),
      probe_(std::move(probe)),
      readiness_(schedule, clock.now()),
      app_version_(probe_.protocol == config::AppProtocol::kH2c ? proxy::UpstreamVersion::kHttp2
                                                                : proxy::UpstreamVersion::kHttp1),
      callbacks_(std::move(callbacks)),
      next_(io),
      tasks_(io) {}

void Prober::start() {
  is_running_ = true;
  tasks_.spawn("probe the app", [this] { return run(); });
}

http::Awaitable<void> Prober::run() {
  while (readiness_.state() != ReadinessState::kDraining) {
    const bool had_requests = callbacks_.has_requests();
    const std::uint64_t app_run = app_run_;
    auto result = co_await probe_.run();
    std::optional<Result<proxy::UpstreamVersion>> version;
    if (result && asks_version()) version = co_await probe_.find_version();
    if (app_run != app_run_) continue;  // result of the previous process
    const bool was_ready = readiness_.is_ready();
    if (version) result = take_version(*version);
    if (result) {
      readiness_.probe_succeeded(clock_.now());
    } else {
      readiness_.probe_failed(to_string(result.error()),
                              failure(result.error().kind(), had_requests), clock_.now());
    }
    notify_if_changed(was_ready);
    if (!result && readiness_.state() == ReadinessState::kStarting) callbacks_.on_failure();
    next_.expires_after(readiness_.next_probe() - clock_.now());
    boost::system::error_code cancelled;
    co_await next_.async_wait(
        http::net::redirect_error(http::net::use_awaitable_t<http::Executor>(), cancelled));
  }
  is_running_ = false;
}

ProbeFailure Prober::failure(ErrorKind kind, bool had_requests) const {
  if (kind == ErrorKind::kRefused) return ProbeFailure::kRefused;
  const bool is_busy = kind == ErrorKind::kTimeout && (had_requests || callbacks_.has_requests());
  return is_busy ? ProbeFailure::kBusy : ProbeFailure::kBad;
}

bool Prober::asks_version() const {
  return !readiness_.is_ready() || (is_assumed_ && callbacks_.answers() == answers_);
}

bool Prober::is_starting(ErrorKind why_no_version) {
  if (why_no_version != ErrorKind::kTimeout) return why_no_version != ErrorKind::kReset;
  if (!silent_since_) silent_since_ = clock_.now();
  return clock_.now() - *silent_since_ < kSilence;
}

Result<void> Prober::take_version(const Result<proxy::UpstreamVersion>& found) {
  if (found) {
    const bool is_news = readiness_.is_ready() && *found != app_version_;
    app_version_ = *found;
    is_assumed_ = false;
    silent_since_.reset();
    if (is_news) callbacks_.on_change();
    return {};
  }
  if (readiness_.is_ready()) return {};
  if (is_starting(found.error().kind())) return fail(found.error());
  app_version_ = proxy::UpstreamVersion::kHttp1;
  is_assumed_ = true;
  answers_ = callbacks_.answers();
  silent_since_.reset();
  return {};
}

void Prober::app_restarted() {
  ++app_run_;
  is_assumed_ = false;
  silent_since_.reset();
  const bool was_ready = readiness_.is_ready();
  readiness_.app_restarted(clock_.now());
  notify_if_changed(was_ready);
  next_.cancel();
}

void Prober::app_refused() {
  if (!readiness_.is_ready()) return;
  readiness_.app_refused(clock_.now());
  notify_if_changed(true);
  next_.cancel();
}

void Prober::start_draining() {
  readiness_.start_draining();
  next_.cancel();
}

void Prober::end_draining() {
  readiness_.end_draining(clock_.now());
  if (!is_running_) start();
}

http::Awaitable<void> Prober::stop(TimePoint deadline) {
  tasks_.stop();
  co_await tasks_.join(deadline);
}

void Prober::notify_if_changed(bool was_ready) {
  if (was_ready != readiness_.is_ready()) callbacks_.on_change();
}

}  // namespace bellows::queue_proxy
