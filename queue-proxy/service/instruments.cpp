#include "queue-proxy/service/instruments.hpp"

#include <algorithm>
#include <string>

namespace bellows::queue_proxy {

namespace {

metrics::prometheus::Counter requests_of_class(metrics::prometheus::Registry& registry,
                                               const char* code_class) {
  return registry.counter("bellows_queue_proxy_requests_total",
                          "Requests that ended, by status class; none: the caller disconnected "
                          "before a response. Without probes.",
                          {{"code_class", code_class}});
}

}  // namespace

Instruments::Instruments(metrics::prometheus::Registry& registry)
    : in_flight(registry.gauge("bellows_queue_proxy_in_flight", "Requests running in the app.")),
      queue_depth(
          registry.gauge("bellows_queue_proxy_queue_depth", "Requests waiting for a slot.")),
      ready(registry.gauge("bellows_queue_proxy_ready",
                           "1 while the probes of the app succeed, else 0.")),
      connected(registry.gauge("bellows_queue_proxy_autoscaler_connected",
                               "1 while stats reach the autoscaler, else 0.")),
      stats_sent(registry.counter("bellows_queue_proxy_stats_sent_total",
                                  "Stats sent, repetitions included.")),
      stats_dropped(
          registry.counter("bellows_queue_proxy_stats_dropped_total",
                           "Stats dropped because they were too old when they could be sent.")),
      settings_changes(
          registry.counter("bellows_queue_proxy_settings_changes_total",
                           "Orders of the autoscaler that changed settings of this replica.")),
      upstream_retries(registry.counter("bellows_queue_proxy_upstream_retries_total",
                                        "Requests retried over a fresh connection to the app.")),
      access_log_dropped(
          registry.counter("bellows_queue_proxy_access_log_dropped_total",
                           "Lines dropped because their reader was too slow or has closed.")),
      requests_{requests_of_class(registry, "none"), requests_of_class(registry, "1xx"),
                requests_of_class(registry, "2xx"),  requests_of_class(registry, "3xx"),
                requests_of_class(registry, "4xx"),  requests_of_class(registry, "5xx")},
      duration_(registry.histogram("bellows_queue_proxy_request_duration_seconds",
                                   "From a request's arrival to its end, including the queue.",
                                   metrics::prometheus::latency_bounds())),
      queue_time_(registry.histogram("bellows_queue_proxy_queue_seconds",
                                     "Time in the queue, of requests that were queued.",
                                     metrics::prometheus::latency_bounds())) {}

void Instruments::request_ended(int status, Duration total) {
  // A status above 599 counts as 5xx (RFC 9110 15).
  requests_[static_cast<std::size_t>(std::clamp(status / 100, 0, 5))].add();
  duration_.observe(to_seconds(total));
}

void Instruments::request_waited(Duration waited) {
  queue_time_.observe(to_seconds(waited));
}

}  // namespace bellows::queue_proxy
