#include "injector/core/report.hpp"

#include <algorithm>
#include <string_view>

namespace bellows::injector {

namespace {

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kInjected:
      return "injected";
    case Outcome::kRestored:
      return "restored";
    case Outcome::kSkipped:
      return "skipped";
    case Outcome::kRefused:
      break;
  }
  return "refused";
}

}  // namespace

ReportLine report_line(const std::vector<Manifest>& manifests, const Resource& resource,
                       Outcome outcome, std::string what) {
  return {.file = manifests[resource.manifest].file,
          .line = resource.line,
          .object = label_of(resource),
          .outcome = outcome,
          .what = std::move(what),
          .notes = {},
          .warnings = {}};
}

std::string report_text(const std::vector<ReportLine>& report) {
  std::string text;
  for (const ReportLine& line : report) {
    text += line.file + ":" + std::to_string(line.line) + ": " + line.object + ": ";
    text += std::string(name_of(line.outcome)) + ": " + line.what + "\n";
    for (const std::string& warning : line.warnings) text += "  warning: " + warning + "\n";
    for (const std::string& note : line.notes) text += "  note: " + note + "\n";
  }
  return text;
}

bool has_refusal(const std::vector<ReportLine>& report) {
  return std::ranges::any_of(
      report, [](const ReportLine& line) { return line.outcome == Outcome::kRefused; });
}

}  // namespace bellows::injector
