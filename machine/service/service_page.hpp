// The services of a machine as JSON: revisions, shares, replicas, the last change of shares.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.hpp"
#include "base/sys/clock.hpp"
#include "json/writer.hpp"
#include "machine/service/canary_runner.hpp"
#include "machine/service/revision_placer.hpp"
#include "machine/service/rollout_runner.hpp"
#include "machine/service/service_store.hpp"

namespace bellows::machine {

/// Selects whether a page has the commands of apps and their output.
enum class PageDetail : std::uint8_t { kShown, kWithheld };

/// Owner: a Deployer. Thread: the io thread.
class ServicePage {
 public:
  /// All of them outlive it.
  ServicePage(const ServiceStore& store, const RevisionPlacer& placer,
              const RolloutRunner& rollouts, const CanaryRunner& canaries, const sys::Clock& clock)
      : store_(store), placer_(placer), rollouts_(rollouts), canaries_(canaries), clock_(clock) {}

  /// Returns {"services":[...]}: revisions, shares, replicas and the last rollout of each, or of
  /// `service` if it is not empty.
  std::string page(const RevisionId& service, PageDetail detail) const;

  /// Returns {"under_way":[...]}: the changes of shares and the canaries that have not ended, for
  /// the status; empty: there are none.
  std::string under_way() const;

 private:
  void write_service(json::Writer& out, const RevisionId& name, PageDetail detail) const;
  void write_revisions(json::Writer& out, const ServiceRecord& record, PageDetail detail) const;
  void write_rollout(json::Writer& out, const RevisionId& service, PageDetail detail) const;

  const ServiceStore& store_;
  const RevisionPlacer& placer_;
  const RolloutRunner& rollouts_;
  const CanaryRunner& canaries_;
  const sys::Clock& clock_;
};

}  // namespace bellows::machine
