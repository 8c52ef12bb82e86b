#include "proxy/core/client_connections.hpp"

namespace bellows::proxy {

bool ClientConnections::add(std::string_view client) {
  const auto found = counts_.find(client);
  if (found == counts_.end()) {
    counts_.emplace(client, 1);
    return true;
  }
  if (found->second >= limit_) return false;
  ++found->second;
  return true;
}

void ClientConnections::remove(std::string_view client) {
  const auto found = counts_.find(client);
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

}  // namespace bellows::proxy
