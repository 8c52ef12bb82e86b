// What a change of a pod says about its containers.
#pragma once

#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "kubernetes/core/pod.hpp"
#include "recommender/core/observation.hpp"

namespace bellows::recommender {

/// Returns true while its containers may use something: it has left Pending and has not ended.
bool is_active(const kubernetes::Pod& pod);

/// Returns true if the pod has a container of that name which is not the queue-proxy.
bool has_container(const kubernetes::Pod& pod, std::string_view container);

/// Returns an observation for each container, without the queue-proxy, as a policy gets them that
/// has not seen the pod yet: its request, from its start on, and whether it is in a crash loop. A
/// container that has run for longer than an hour before `now` counts as started then. `workload`
/// is not set.
std::vector<Observation> first_observations(const kubernetes::Pod& pod, WallTime now);

/// Returns what has happened between two states of a pod, in order of time per container: requests
/// that changed, ends (an OOM kill with the request of the container that was killed), restarts,
/// the begin and the end of a crash loop, and the eviction for memory, which counts as an OOM kill
/// of the containers that the kubelet names, with what they used. Without `before`, ends and
/// restarts after `since` count. `workload` is not set. Source: VPA, input/oom/observer.go; other
/// than there, a kill that first shows while the container waits for its restart counts too, and an
/// eviction is read from the pod, not from an Event.
std::vector<Observation> changes_of(const kubernetes::Pod* before, const kubernetes::Pod& after,
                                    WallTime since, WallTime now);

/// Returns that the containers are gone.
std::vector<Observation> last_observations(const kubernetes::Pod& pod, WallTime now);

}  // namespace bellows::recommender
