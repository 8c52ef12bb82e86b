#include "proxy/core/trusted_proxies.hpp"

#include <algorithm>

#include "http/core/head.hpp"

namespace bellows::proxy {

TrustedProxies::TrustedProxies(std::string_view list) {
  http::for_each_token(list, [this](std::string_view part) {
    if (part == "private") {
      const std::vector<IpRange>& all = private_ip_ranges();
      ranges_.insert(ranges_.end(), all.begin(), all.end());
    } else if (const auto range = parse_ip_range(part)) {
      ranges_.push_back(*range);
    }
  });
}

bool TrustedProxies::has(const std::optional<IpAddress>& client) const {
  if (!client) return true;
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const IpRange& range) { return range.contains(*client); });
}

}  // namespace bellows::proxy
