// Calls the webhooks of policies, one request each at a time, and keeps their responses.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autoscaler/service/policy_observer.hpp"
#include "base/endpoint.hpp"
#include "base/sys/clock.hpp"
#include "http/io/net.hpp"
#include "http/io/task_group.hpp"

namespace bellows::autoscaler {

class RevisionRegistry;
struct ScaledRevision;

/// Sends POST {"service":"web","revision":"web-00002","replicas":3,"ready":3,"occupied":1,
/// "load":4.5}, and expects 200 with {"replicas":5}. Any other response is a failure, which becomes
/// the reason of the policy; decisions never wait. Owner: the service. Thread: the io thread.
class WebhookAsker final : public WebhookAnswers {
 public:
  /// Both outlive it.
  WebhookAsker(http::TaskGroup& tasks, const sys::Clock& clock);

  /// Starts calls of a revision's webhooks after its first decision.
  void decided(const ScaledRevision& revision);
  /// Sends the calls that are due.
  void tick(const RevisionRegistry& registry);
  void forget(const RevisionId& revision);

  std::vector<WebhookAnswer> answers(const RevisionId& revision, TimePoint now) const override;

 private:
  struct Asked {
    std::optional<PodCount> replicas;
    TimePoint answered;
    std::string failure;
    TimePoint next;
    TimePoint dead_after;  // if no policy reads it until then
    bool is_under_way = false;
  };
  using Key = std::pair<RevisionId, std::string>;  // and the URL

  http::Awaitable<void> ask(Key key, WebhookQuestion question, std::string body);
  void ask_due(const ScaledRevision& revision, TimePoint now);
  void settle(const Key& key, const Result<PodCount>& answer);

  http::TaskGroup& tasks_;
  const sys::Clock& clock_;
  std::set<RevisionId> asking_;  // few of all revisions
  std::map<Key, Asked> asked_;
};

/// Splits "http://HOST:PORT/PATH" into its parts; kInvalidSetting names the URL.
Result<std::pair<Endpoint, std::string>> webhook_target(const std::string& url);

}  // namespace bellows::autoscaler
