// What was done to each object, and why not.
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
  kSkipped,   ///< left alone on purpose
  kRefused,   ///< it should have a queue-proxy and cannot; the user must do something
};

struct ReportLine {
  std::string file;
  std::size_t line = 0;
  std::string object;  ///< "deployment/shop"
  Outcome outcome = Outcome::kSkipped;
  std::string what;                   ///< one line
  std::vector<std::string> notes;     ///< what a user should know
  std::vector<std::string> warnings;  ///< what a user should change
};

/// Begins a line about `resource`.
ReportLine report_line(const std::vector<Manifest>& manifests, const Resource& resource,
                       Outcome outcome, std::string what);

/// Lines for people: "shop.yaml:3: deployment/shop: injected: ...", notes and warnings below it.
std::string report_text(const std::vector<ReportLine>& report);

bool has_refusal(const std::vector<ReportLine>& report);

}  // namespace bellows::injector
