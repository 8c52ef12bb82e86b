#include "autoscaler/service/webhook_asker.hpp"

#include "autoscaler/service/revision_registry.hpp"
#include "base/printable_text.hpp"
#include "http/io/client.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler {
namespace {

constexpr std::string_view kScheme = "http://";
constexpr std::size_t kMaxAnswerBytes = std::size_t{64} * 1024;
constexpr std::int64_t kMaxAnswer = 1'000'000;
/// Periods after which a webhook that no policy reads any more is deleted.
constexpr int kForgottenAfter = 3;

std::string state_of(const ScaledRevision& revision) {
  json::Writer body;
  body.text("service", revision.observed.listed().service_id().text());
  body.text("revision", revision.id().text()).integer("replicas", revision.state.replicas);
  if (const std::optional<Observation> seen = revision.journal.last_seen()) {
    body.integer("ready", seen->ready).integer("starting", seen->starting);
    body.integer("occupied", seen->policy ? seen->policy->rooms.occupied : 0);
    body.number("load", seen->stable.total).integer("waiting", seen->waiting);
  }
  return body.end();
}

Result<PodCount> read_answer(const std::string& url, const http::Response& response) {
  if (response.status != 200) {
    return fail(ErrorKind::kUnavailable, url,
                "status " + std::to_string(response.status) + ", want 200");
  }
  BELLOWS_TRY(const json::Object object, json::parse(response.body, "answer"));
  BELLOWS_TRY(const std::int64_t replicas, object.integer("replicas", 0, kMaxAnswer));
  return static_cast<PodCount>(replicas);
}

}  // namespace

Result<std::pair<Endpoint, std::string>> webhook_target(const std::string& url) {
  const std::string rest = url.starts_with(kScheme) ? url.substr(kScheme.size()) : std::string();
  const auto slash = rest.find('/');
  const std::string path = slash == std::string::npos ? "/" : rest.substr(slash);
  auto endpoint = parse_endpoint(rest.substr(0, slash));
  if (!endpoint) {
    return fail(ErrorKind::kInvalidSetting, url, "want http://HOST:PORT/PATH");
  }
  return std::pair(*std::move(endpoint), path);
}

WebhookAsker::WebhookAsker(http::TaskGroup& tasks, const sys::Clock& clock)
    : tasks_(tasks), clock_(clock) {}

void WebhookAsker::decided(const ScaledRevision& revision) {
  if (revision.spec.policies.asks_webhooks()) asking_.insert(revision.id());
}

void WebhookAsker::tick(const RevisionRegistry& registry) {
  const TimePoint now = clock_.now();
  std::erase_if(asking_, [&](const RevisionId& id) {
    const ScaledRevision* const revision = registry.find(id);
    const bool still_asks = revision != nullptr && revision->spec.policies.asks_webhooks();
    if (still_asks) ask_due(*revision, now);
    return !still_asks;
  });
  std::erase_if(asked_, [&](const auto& entry) {
    return !entry.second.is_under_way && now > entry.second.dead_after;
  });
}

void WebhookAsker::ask_due(const ScaledRevision& revision, TimePoint now) {
  for (const WebhookQuestion& question : revision.spec.policies.questions()) {
    Key key(revision.id(), question.url);
    Asked& asked = asked_[key];
    if (asked.is_under_way || now < asked.next) continue;
    asked.is_under_way = true;
    asked.next = now + question.period;
    asked.dead_after = now + kForgottenAfter * question.period;
    tasks_.spawn("ask " + question.url, [this, key, question, body = state_of(revision)] {
      return ask(key, question, body);
    });
  }
}

http::Awaitable<void> WebhookAsker::ask(Key key, WebhookQuestion question, std::string body) {
  const auto target = webhook_target(question.url);
  if (!target) {
    settle(key, fail(target.error()));
    co_return;
  }
  http::FetchOptions options;
  options.timeout = question.timeout;
  options.max_body_bytes = kMaxAnswerBytes;
  const auto response =
      co_await http::fetch(target->first, "POST", target->second, body, {}, options);
  if (response) {
    settle(key, read_answer(question.url, *response));
  } else {
    settle(key, fail(response.error()));
  }
}

void WebhookAsker::settle(const Key& key, const Result<PodCount>& answer) {
  const auto found = asked_.find(key);
  if (found == asked_.end()) return;
  Asked& asked = found->second;
  asked.is_under_way = false;
  asked.failure = answer ? std::string() : printable(to_string(answer.error()));
  if (!answer) return;
  asked.replicas = *answer;
  asked.answered = clock_.now();
}

void WebhookAsker::forget(const RevisionId& revision) {
  std::erase_if(asked_, [&](const auto& entry) { return entry.first.first == revision; });
}

std::vector<WebhookAnswer> WebhookAsker::answers(const RevisionId& revision, TimePoint now) const {
  std::vector<WebhookAnswer> answers;
  for (auto it = asked_.lower_bound(Key(revision, "")); it != asked_.end(); ++it) {
    if (it->first.first != revision) break;
    const Asked& asked = it->second;
    if (!asked.replicas && asked.failure.empty()) continue;
    answers.push_back({.url = it->first.second,
                       .replicas = asked.replicas,
                       .age = asked.replicas ? now - asked.answered : Duration::zero(),
                       .failure = asked.failure});
  }
  return answers;
}

}  // namespace bellows::autoscaler
