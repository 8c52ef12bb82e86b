// Counts the connections of each client. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bellows::proxy {

/// Counts connections by client. Without a limit (0) it keeps no table. Owner: the server.
class ClientConnections {
 public:
  explicit ClientConnections(std::size_t limit) : limit_(limit) {}

  bool is_limited() const { return limit_ > 0; }
  /// Counts one more connection of the client; returns false, without counting it, at the limit.
  bool add(std::string_view client);
  /// Counts the end of a connection that add() has counted.
  void remove(std::string_view client);

  /// Returns the number of clients with at least one connection.
  std::size_t clients() const { return counts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  const std::size_t limit_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> counts_;
};

}  // namespace bellows::proxy
