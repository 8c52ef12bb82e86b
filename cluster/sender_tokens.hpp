// Proves who sends stats, where senders have tokens instead of secrets.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// The owner of a valid token.
struct TokenSender {
  std::string ns = {};
  PodName pod = {};
  std::string uid = {};       ///< of the pod
  bool is_activator = false;  ///< its account is that of the activators
  TimePoint expires = {};     ///< the token is refused from then on
};

/// Owner: the cluster. Thread: the io thread.
class SenderTokens {
 public:
  virtual ~SenderTokens() = default;

  /// Verifies `token`; an empty one is refused too. The culprit of an error is "token REASON", and
  /// it does not contain the token. kUnavailable: it cannot be verified now.
  virtual http::Awaitable<Result<TokenSender>> verify(std::string token) = 0;
};

}  // namespace bellows::cluster
