// The observations of policies besides the load: occupied replicas, usage, counts, and answers of
// webhooks.
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

/// Adds Observation::policy if a policy needs it, or a replica reports about itself. The calendar
/// is in whole milliseconds, which a journal writes exactly.
void observe_policies(Observation& seen, const PolicyView& view);

/// Returns the replicas that a scale-down must keep: Observation::policy->kept of them.
std::vector<PodName> kept_replicas(const ObservedRevision& observed, const ScalingSpec& spec);

}  // namespace bellows::autoscaler
