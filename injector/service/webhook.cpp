#include "injector/service/webhook.hpp"

#include <string>
#include <utility>
#include <vector>

#include "base/sys/log.hpp"
#include "http/core/status.hpp"

namespace bellows::injector {

namespace {

metrics::prometheus::Counter reviews(metrics::prometheus::Registry& metrics, const char* result) {
  return metrics.counter("bellows_injector_reviews_total",
                         "Pods that the API server asked about, by what they got.",
                         {{"result", result}});
}

}  // namespace

Webhook::Webhook(const sys::Clock& clock, metrics::prometheus::Registry& metrics,
                 InjectOptions options)
    : clock_(clock),
      options_(std::move(options)),
      injected_(reviews(metrics, "injected")),
      unchanged_(reviews(metrics, "unchanged")),
      skipped_(reviews(metrics, "skipped")),
      refused_(reviews(metrics, "refused")),
      malformed_(reviews(metrics, "malformed")),
      seconds_(metrics.histogram("bellows_injector_review_seconds",
                                 "Time from a whole question to its answer.",
                                 {0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 1})) {}

void Webhook::add_route(http::ServiceServer& server) {
  server.route("POST", kWebhookPath,
               [this](http::Request request) -> http::Awaitable<http::Response> {
                 const TimePoint begin = clock_.now();
                 http::Response response = answer(request);
                 seconds_.observe(std::chrono::duration<double>(clock_.now() - begin).count());
                 co_return response;
               });
}

http::Response Webhook::answer(const http::Request& request) {
  const auto review = read_review(request.body);
  if (!review) {
    malformed_.add();
    sys::log::warning("malformed AdmissionReview", {{"error", to_string(review.error())}});
    http::Response response;
    response.status = http::status_of(review.error());
    response.body = to_string(review.error()) + "\n";
    return response;
  }
  const Admission admission = admit(*review, options_);
  note(*review, admission);
  return http::json_response(review_text(review->uid, admission));
}

void Webhook::note(const AdmissionRequest& request, const Admission& admission) {
  if (admission.outcome == Outcome::kInjected) {
    (admission.patch.empty() ? unchanged_ : injected_).add();
    return;
  }
  const bool is_refused = admission.outcome == Outcome::kRefused;
  (admission.warnings.empty() ? unchanged_ : is_refused ? refused_ : skipped_).add();
  if (admission.warnings.empty()) return;
  sys::log::info("pod not injected", {{"namespace", request.name_space},
                                      {"workload", admission.workload},
                                      {"reason", admission.what}});
}

}  // namespace bellows::injector
