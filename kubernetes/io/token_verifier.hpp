// Verifies tokens of service accounts with the keys that the API server publishes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/sys/clock.hpp"
#include "http/io/event.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/service_account_token.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/token_keys.hpp"

namespace bellows::kubernetes {

/// Fetches issuer and keys with the first token, and again every kRefresh and for a token whose key
/// it does not know, but not within kPause. Tokens that arrive meanwhile wait for the same answer;
/// no other token costs a call. While the server does not answer, the last keys stay. Owner: the
/// program. Thread: the io thread.
class TokenVerifier {
 public:
  static constexpr Duration kRefresh = std::chrono::minutes(10);
  static constexpr Duration kPause = std::chrono::seconds(10);
  /// After a failure it asks again so soon, if it has no keys at all.
  static constexpr Duration kRetry = std::chrono::seconds(1);

  struct Parts {
    http::net::io_context& io;
    const sys::Clock& clock;
    ApiClient& client;
    http::TaskGroup& tasks;  ///< stopped and joined before the verifier ends
  };

  /// All parts outlive it. `audience`: the one that tokens must be for.
  TokenVerifier(Parts parts, std::string audience);

  /// Returns the content of a valid token. Errors are those of token_error(); kUnavailable: there
  /// are no keys, because the API server does not answer, or does not allow or publish them.
  http::Awaitable<Result<ServiceAccountToken>> verify(std::string token);

  /// Returns how long a token is accepted beyond its end.
  Duration leeway() const { return rules_.leeway; }

 private:
  std::shared_ptr<http::Event> ask();
  http::Awaitable<void> fetch(std::shared_ptr<http::Event> asked);
  http::Awaitable<Result<void>> read_keys();
  WallTime wall_now() const { return parts_.clock.wall_now(); }

  const Parts parts_;
  TokenRules rules_;
  TokenKeys keys_;
  std::shared_ptr<http::Event> asking_;  // owners: this, fetch(), those who wait for its end
  std::optional<TimePoint> asked_;       // last
  std::optional<TimePoint> fetched_;     // last
  std::string failure_;                  // of the last fetch
};

}  // namespace bellows::kubernetes
