// Protocols to which a connection may switch. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/core/head.hpp"

namespace bellows::proxy {

/// An allow-list: a request for any other protocol, in any spelling, stays HTTP/1.1. So no request
/// reaches an app by HTTP/2 (h2c), whose header fields would bypass the rules of this proxy (RFC
/// 9113 3.1 has removed that upgrade). Immutable.
class UpgradeProtocols {
 public:
  /// The list has names separated by commas, as in config::upgrade_list_format().
  explicit UpgradeProtocols(std::string_view list = "websocket");

  /// Returns true if the request asks for an upgrade, and only for listed protocols: its Upgrade
  /// field is forwarded. Otherwise the field is removed, and the request is an ordinary one (RFC
  /// 9110 7.8).
  bool allow(const http::RequestHead& head) const;

 private:
  bool has(std::string_view protocol) const;

  std::vector<std::string> names_;
};

}  // namespace bellows::proxy
