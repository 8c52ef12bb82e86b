// How many connections each client has. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace bellows::proxy {

/// Owner: the server. A limit of 0 keeps no table.
class ClientConnections {
 public:
  explicit ClientConnections(std::size_t limit) : limit_(limit) {}

  bool is_limited() const { return limit_ > 0; }
  /// Counts one more of the client; false, without counting it, if it has as many as it may.
  bool add(std::string_view client);
  /// One that add() counted has ended.
  void remove(std::string_view client);

  /// Clients with at least one connection.
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
