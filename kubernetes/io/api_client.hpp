// Calls of the API server: kept-alive connections, streamed answers, a rate limit of our own.
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
  double calls_per_second = 50;  ///< on average
  int burst = 100;               ///< after a rest
  int max_calls = 32;            ///< under way at once, until the head of a stream has come
  int max_idle_connections = 4;
  Duration max_retry_after = std::chrono::seconds(60);  ///< a longer Retry-After counts as this
  std::string user_agent = "bellows";
};

/// Calls since the start. For /metrics.
struct ApiCallCounters {
  struct Key {
    std::string verb;
    std::string resource;
    std::string
        result;  ///< "200", "409", ..., or the kind of an error without an answer: "timeout"
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::uint64_t> calls;  ///< each attempt that was sent or could not be
  Duration limited{};                  ///< how long calls have waited for the rate limit, summed up
};

/// Takes the answer of a stream as it comes. Any status: a body of Status follows one that is no
/// success.
struct ApiStream {
  std::function<void(int http_status, std::optional<Duration> retry_after)> on_head;
  /// An error ends the connection and is what stream() returns.
  std::function<Result<void>(std::string_view chunk)> on_chunk;
};

/// Every call waits for the rate limit (orders first, then reads, then reports), is repeated once
/// with credentials that are read anew after a 401, and once on a new connection where a kept-alive
/// one broke before an answer (reads only). Errors without an answer name the call and the server:
/// kRefused, kNotFound (no such host), kTimeout, kReset, kMalformed, kTooLarge, and those of
/// Credentials and TLS (kInvalidSetting). A connection whose peer is silent for 45 s although it is
/// probed is given up. Owner: the program. Outlives the calls. Thread: the io thread.
class ApiClient {
 public:
  /// `random` outlives it.
  ApiClient(http::net::io_context& io, std::shared_ptr<Credentials> credentials, Random& random,
            ApiClientOptions options = {});
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  /// The whole answer, of any status. 429 and 503 with a Retry-After are repeated after it, if that
  /// is before the request's timeout.
  http::Awaitable<Result<ApiAnswer>> send(ApiRequest request);

  /// The body of a success; an answer that is none is ApiAnswer::error().
  http::Awaitable<Result<std::string>> call(ApiRequest request);

  /// A GET of `target` ("/api/v1/pods?watch=1&...") on a connection of its own, until it has ended
  /// or `deadline` breaks it (kTimeout). `request` gives verb, resource and priority. What `into`
  /// refers to outlives the call. Retry-After is the caller's to obey.
  http::Awaitable<Result<void>> stream(ApiRequest request, std::string target, TimePoint deadline,
                                       ApiStream into);

  const ApiServer& server() const;
  const Credentials& credentials() const;
  const ApiCallCounters& counters() const;
  /// When the last answer came, of any call; nothing: never.
  std::optional<TimePoint> last_answer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
