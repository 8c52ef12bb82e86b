// Keeps asking the app whether it takes requests, at the pace that Readiness wants.
#pragma once

#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/task_group.hpp"
#include "queue-proxy/core/readiness.hpp"
#include "queue-proxy/service/app_probe.hpp"

namespace bellows::queue_proxy {

/// Owner: the service. Thread: the io thread.
class Prober {
 public:
  /// `on_change` is called when readiness was gained or lost.
  Prober(http::net::io_context& io, const sys::Clock& clock, AppProbe probe, ProbeSchedule schedule,
         std::function<void()> on_change);

  void start();
  /// The app was restarted or refused a request: ask anew, now.
  void app_lost(std::string_view why);
  /// Never ready again; asks no more.
  void start_draining();
  http::Task<void> stop(TimePoint deadline);

  const Readiness& readiness() const { return readiness_; }

 private:
  http::Task<void> run();
  void tell_change(bool was_ready);

  const sys::Clock& clock_;
  const AppProbe probe_;
  Readiness readiness_;
  const std::function<void()> on_change_;
  http::Timer next_;  // expires at the next probe; cancelled to ask at once
  http::TaskGroup tasks_;
};

}  // namespace bellows::queue_proxy
