#include "activator/service/start_prober.hpp"

#include "base/sys/log.hpp"

namespace bellows::activator {

void StartProber::set(const RevisionId& revision, const std::vector<StartingReplica>& replicas) {
  probes_.set(revision, replicas);
  if (probes_.empty() || is_running_) return;
  is_running_ = true;
  tasks_.spawn("probe starting replicas", [this] { return keep_probing(); });
}

http::Awaitable<void> StartProber::keep_probing() {
  while (!probes_.empty()) {
    for (const StartProbe& probe : probes_.take_due()) send(probe);
    const bool may_go_on = co_await http::sleep_for(kStartProbeInterval);
    if (!may_go_on) break;
  }
  is_running_ = false;
}

void StartProber::send(const StartProbe& probe) {
  prober_.probe(probe.replica.address, kStartProbeTimeout, [this, probe](ProbeResult result) {
    if (probes_.end(probe, result == ProbeResult::kReady)) on_ready_(probe.revision, probe.replica);
  });
}

http::Awaitable<void> StartProber::stop(TimePoint deadline) {
  tasks_.stop();
  const auto joined = co_await tasks_.join(deadline);
  if (!joined) sys::log::warning("task still running", {{"error", to_string(joined.error())}});
}

}  // namespace bellows::activator
