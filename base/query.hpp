// The path and query string of a request (RFC 3986).
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>

namespace bellows {

/// Encodes every byte except the unreserved ones of RFC 3986 as %XX.
std::string percent_encoded(std::string_view text);

/// Builds the target of a request. Members are in the order of the calls:
/// `Query("/api/v1/pods").add("watch", 1).add("labelSelector", "a=b").target()` is
/// "/api/v1/pods?watch=1&labelSelector=a%3Db".
class Query {
 public:
  explicit Query(std::string path) : target_(std::move(path)) {}

  Query& add(std::string_view key, std::string_view value);
  Query& add(std::string_view key, std::integral auto number) {
    return add(key, std::to_string(number));
  }
  /// Adds the member unless the value is empty.
  Query& add_unless_empty(std::string_view key, std::string_view value);

  const std::string& target() const { return target_; }

 private:
  std::string target_;
  bool has_member_ = false;
};

}  // namespace bellows
