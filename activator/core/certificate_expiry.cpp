#include "activator/core/certificate_expiry.hpp"

namespace bellows::activator {

std::optional<std::chrono::days> expiry_notice(Duration left,
                                               std::optional<std::chrono::days> said) {
  std::optional<std::chrono::days> least;
  for (const std::chrono::days each : kExpiryNotices) {
    if (left <= each) least = each;
  }
  if (!least || (said && *said <= *least)) return std::nullopt;
  return least;
}

}  // namespace bellows::activator
