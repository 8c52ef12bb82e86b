// Policy `webhook`: the last answer of a program of the user's. The question is asked by
// autoscaler/service/webhook_asker; a failure is a reason, and the last answer holds for a while.
#include <algorithm>
#include <string_view>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/triggers/trigger_config.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

struct WebhookSettings {
  WebhookQuestion question;
  Duration hold{};
};

class Webhook final : public Policy {
 public:
  explicit Webhook(WebhookSettings settings) : settings_(std::move(settings)) {}

  Proposal propose(const PolicyInput& input, const PolicyMemory& /*memory*/) const override {
    for (const WebhookAnswer& answer : input.more.answers) {
      if (answer.url == settings_.question.url) return by(answer);
    }
    return {std::nullopt, settings_.question.url + " was not asked yet"};
  }

  void add_questions(std::vector<WebhookQuestion>& questions) const override {
    questions.push_back(settings_.question);
  }

 private:
  Proposal by(const WebhookAnswer& answer) const {
    const std::string failed = answer.failure.empty() ? "" : "; since then: " + answer.failure;
    if (!answer.replicas)
      return {std::nullopt, answer.url + " has not answered: " + answer.failure};
    const std::string said = answer.url + " answered " + std::to_string(*answer.replicas) + ", " +
                             rounded_duration_text(answer.age) + " ago";
    if (answer.age > settings_.hold) {
      return {std::nullopt, said + ", which holds only " + duration_text(settings_.hold) + failed};
    }
    return {answer.replicas, said + failed};
  }

  WebhookSettings settings_;
};

Result<Duration> time_or(const json::Object& parameters, std::string_view key, Duration fallback,
                         Duration min, Duration max) {
  return parameters.has(key) ? time_of(parameters, key, min, max) : fallback;
}

/// It becomes parts of a request, so it has none of what ends such a part.
bool is_url(std::string_view text) {
  return text.starts_with("http://") &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

Result<PolicyPtr> make_webhook(const json::Object& parameters) {
  using namespace std::chrono_literals;
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "url", "timeout", "period", "hold"}));
  WebhookSettings settings;
  BELLOWS_TRY(settings.question.url, parameters.text("url"));
  if (!is_url(settings.question.url)) {
    return fail(
        parameters.invalid("url", "http://HOST:PORT/PATH without spaces and control characters"));
  }
  BELLOWS_TRY(settings.question.timeout, time_or(parameters, "timeout", 1s, 1ms, 30s));
  BELLOWS_TRY(settings.question.period, time_or(parameters, "period", 10s, 1s, 1h));
  BELLOWS_TRY(settings.hold, time_or(parameters, "hold", 1min, 1s, 24h));
  return std::make_shared<const Webhook>(std::move(settings));
}

}  // namespace

PolicyType webhook_policy() {
  return {.name = "webhook", .make = make_webhook};
}

}  // namespace bellows::autoscaler
