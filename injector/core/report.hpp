// The result for each object, and its reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "injector/core/resource.hpp"

namespace bellows::injector {

enum class Outcome : std::uint8_t {
  kInjected,
  kRestored,  ///< by uninject
  kSkipped,   ///< skipped on purpose
  kRefused,   ///< it should have a queue-proxy and cannot; the user must act
};

struct ReportLine {
  std::string file;
  std::size_t line = 0;
  std::string object;  ///< "deployment/shop"
  Outcome outcome = Outcome::kSkipped;
  std::string what;                   ///< one line
  std::vector<std::string> notes;     ///< information for the user
  std::vector<std::string> warnings;  ///< changes that the user should make
};

/// Makes a line about `resource`.
ReportLine report_line(const std::vector<Manifest>& manifests, const Resource& resource,
                       Outcome outcome, std::string what);

/// Returns lines for people: "shop.yaml:3: deployment/shop: injected: ...", with notes and warnings
/// below.
std::string report_text(const std::vector<ReportLine>& report);

/// Returns true if an object is refused: it should have a queue-proxy, and would go live without
/// one.
bool has_refusal(const std::vector<ReportLine>& report);

}  // namespace bellows::injector
