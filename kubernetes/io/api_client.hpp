// Calls of the API server: kept-alive connections, streamed responses, a client-side rate limit.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "base/result.hpp"
#include "http/io/net.hpp"
#include "kubernetes/io/api_request.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

struct ApiClientOptions {
  double calls_per_second = 50;  ///< average rate
  int burst = 100;               ///< calls at once, after a pause
  int max_calls = 32;            ///< concurrent calls; a stream counts until its head has arrived
  int max_idle_connections = 4;
  Duration max_retry_after = std::chrono::seconds(60);  ///< a longer Retry-After is reduced to this
  std::string user_agent = "bellows";
};

/// Counts of calls since the start, for /metrics.
struct ApiCallCounters {
  struct Key {
    std::string verb;
    std::string resource;
    std::string
        result;  ///< "200", "409", ..., or the kind of an error without a response: "timeout"
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::uint64_t> calls;  ///< each attempt, even if it could not be sent
  Duration limited{};                  ///< total time that calls have waited for the rate limit
};

/// Receives the response of a stream as it arrives, whatever its status. The body of a failure is a
/// Status.
struct ApiStream {
  std::function<void(int http_status, std::optional<Duration> retry_after)> on_head;
  /// If it returns an error, the connection is closed, and stream() returns the error.
  std::function<Result<void>(std::string_view chunk)> on_chunk;
};

/// Every call waits for the rate limit (orders first, then reads, then reports). It is repeated
/// once with renewed credentials after a 401, and once on a new connection where a kept-alive one
/// failed before a response (reads only). Errors without a response name the call and the server:
/// kRefused, kNotFound (no such host), kTimeout, kReset, kMalformed, kTooLarge, and those of
/// Credentials and TLS (kInvalidSetting). A connection whose peer has been silent for 45 s despite
/// probes is closed. The client outlives the calls. Owner: the program. Thread: the io thread.
class ApiClient {
 public:
  /// `random` must outlive it.
  ApiClient(http::net::io_context& io, std::shared_ptr<Credentials> credentials, Random& random,
            ApiClientOptions options = {});
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  /// From now on a call that creates, changes or deletes is sent only if `may_write` returns
  /// success just before; else its error is that of the call. `may_write` outlives the calls.
  void restrict_writes(std::function<Result<void>()> may_write);
  /// Returns what `may_write` returns now; without restrict_writes(): success.
  Result<void> may_write() const;

  /// Returns the whole response, whatever its status. 429 and 503 are repeated after their
  /// Retry-After, if that is before the request's timeout.
  http::Awaitable<Result<ApiAnswer>> send(ApiRequest request);

  /// Returns the body of a success; another response is ApiAnswer::error().
  http::Awaitable<Result<std::string>> call(ApiRequest request);

  /// Sends a GET of `target` ("/api/v1/pods?watch=1&...") on a connection of its own and passes on
  /// the response, until it has ended or `deadline` closes it (kTimeout). `request` has verb,
  /// resource and priority. Objects that `into` refers to must outlive the call. The caller has to
  /// obey Retry-After.
  http::Awaitable<Result<void>> stream(ApiRequest request, std::string target, TimePoint deadline,
                                       ApiStream into);

  const ApiServer& server() const;
  const Credentials& credentials() const;
  const ApiCallCounters& counters() const;
  /// Returns when the last response of any call arrived; nullopt: never.
  std::optional<TimePoint> last_answer() const;
  /// Returns when the first call since the last response was sent; nullopt: none was.
  std::optional<TimePoint> unanswered_since() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
