// What policies look at besides the load: who is occupied, what is used, what is counted, what
// webhooks answered.
#pragma once

#include <vector>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/service/observed_revision.hpp"
#include "base/ids.hpp"

namespace bellows::autoscaler {

/// The newest answers of webhooks. Thread: the io thread.
class WebhookAnswers {
 public:
  virtual ~WebhookAnswers() = default;
  virtual std::vector<WebhookAnswer> answers(const RevisionId& revision, TimePoint now) const = 0;
};

struct PolicyView {
  const ObservedRevision& observed;
  const ScalingSpec& spec;
  const WebhookAnswers* answers = nullptr;  ///< null: none
  TimePoint now;
  WallTime wall;
};

/// Adds Observation::policy if a policy needs it, or a replica says something of itself. The
/// calendar is in whole milliseconds, which a journal writes exactly.
void observe_policies(Observation& seen, const PolicyView& view);

/// The replicas that a scale-down must leave: Observation::policy->kept of them.
std::vector<PodName> kept_replicas(const ObservedRevision& observed, const ScalingSpec& spec);

}  // namespace bellows::autoscaler
