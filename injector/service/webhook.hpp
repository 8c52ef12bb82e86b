// The webhook of the API server (MutatingWebhookConfiguration): answers AdmissionReviews.
#pragma once

#include <array>
#include <functional>

#include "base/sys/clock.hpp"
#include "http/io/service_server.hpp"
#include "injector/core/admission.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::injector {

/// The path of the webhook, which its configuration names.
inline constexpr const char* kWebhookPath = "/pods";

/// Larger than any object that an API server stores (1.5 MiB); a larger question gets 413.
inline constexpr std::size_t kMaxReviewBytes = std::size_t{2} * 1024 * 1024;

/// Each answer admits its pod, with a queue-proxy or without. A body that is no question gets 400
/// with the reason. Owner: the program. Thread: the io thread, which an answer takes below a
/// millisecond for a pod of usual size.
class Webhook {
 public:
  /// Both outlive it. The options are those of a server without native sidecars.
  Webhook(const sys::Clock& clock, metrics::prometheus::Registry& metrics, InjectOptions options);

  /// Adds the path to a server, which ends before this does.
  void add_route(http::ServiceServer& server);

  /// Sets whether the API server has native sidecars, for pods from now on.
  void set_native(bool is_native) { options_.is_native = is_native; }

 private:
  http::Response answer(const http::Request& request);
  void note(const AdmissionRequest& request, const Admission& admission);

  const sys::Clock& clock_;
  InjectOptions options_;
  metrics::prometheus::Counter injected_, unchanged_, skipped_, refused_, malformed_;
  metrics::prometheus::Histogram seconds_;
};

}  // namespace bellows::injector
