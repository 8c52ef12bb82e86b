// Takes manifests and returns manifests with queue-proxies and a report; and the reverse. Pure.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "injector/core/manifest.hpp"
#include "injector/core/plan.hpp"
#include "injector/core/report.hpp"

namespace bellows::injector {

struct Injection {
  std::vector<Manifest> manifests;
  std::vector<ReportLine> report;
};

/// Adds a queue-proxy to the pods of each workload. It removes what an earlier inject added and
/// then adds, so a second run changes nothing and a newer version upgrades. It changes Services of
/// the input that select the pods by a numeric target port with them. Unchanged parts keep every
/// byte. An error means that a document could not be restored exactly from its injected form, which
/// is a defect of this program; the result must not be written then.
Result<Injection> inject(std::vector<Manifest> manifests, const InjectOptions& options,
                         const ReadDocument& read);

/// Restores every injected object of the input: uninject(inject(x)) is x, byte for byte.
Result<Injection> uninject(std::vector<Manifest> manifests, const ReadDocument& read);

}  // namespace bellows::injector
