// Manifests in, manifests with queue-proxies and a report out; and the reverse. Pure.
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

/// Gives the pods of each workload a queue-proxy: takes out what an earlier inject added, then
/// adds, so a second run changes nothing and a newer version upgrades. Services of the input that
/// select the pods by a numeric target port are changed with them. What is not changed keeps every
/// byte. An error: a document could not be restored exactly from its injected form, which is a
/// defect of this program; nothing should be written then.
Result<Injection> inject(std::vector<Manifest> manifests, const InjectOptions& options,
                         const ReadDocument& read);

/// Restores every injected object of the input: uninject(inject(x)) is x, byte for byte.
Result<Injection> uninject(std::vector<Manifest> manifests, const ReadDocument& read);

}  // namespace bellows::injector
