#include "proxy/core/upgrade_protocols.hpp"

#include <algorithm>

namespace bellows::proxy {

UpgradeProtocols::UpgradeProtocols(std::string_view list) {
  http::for_each_token(list, [this](std::string_view name) { names_.emplace_back(name); });
}

bool UpgradeProtocols::has(std::string_view protocol) const {
  return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return http::equals_ignore_case(name, protocol);
  });
}

bool UpgradeProtocols::allow(const http::RequestHead& head) const {
  if (!head.requests_upgrade()) return false;
  bool are_all = true;
  http::for_each_upgrade(head.fields,
                         [&](std::string_view protocol) { are_all = are_all && has(protocol); });
  return are_all;
}

}  // namespace bellows::proxy
