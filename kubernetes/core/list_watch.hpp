// The protocol of an informer: list, then watch, endlessly. A state machine without I/O. Source:
// Kubernetes, "API Concepts", Efficient detection of changes; the reports of clients that stop
// silently (kubernetes-client/python#1148 and others).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "kubernetes/core/object_sink.hpp"
#include "kubernetes/core/resource.hpp"

namespace bellows::kubernetes {

struct ListWatchOptions {
  Resource resource = {};
  std::string ns = {};              ///< empty: all namespaces
  std::string label_selector = {};  ///< in the text form; the server filters
  std::string field_selector = {};
  bool try_watch_list = false;  ///< ServerFeatures::may_have_watch_list()
  int page_size = 500;
  /// Limit of one page, from request to last byte.
  Duration page_timeout = std::chrono::seconds(60);
  Duration watch_min = std::chrono::seconds(240);   ///< minimum of the drawn timeoutSeconds
  Duration watch_max = std::chrono::seconds(480);   ///< maximum of it
  Duration watch_grace = std::chrono::seconds(30);  ///< after it we close the watch
};

/// The next step.
struct ListWatchRequest {
  std::string target;  ///< target of the GET
  TimePoint deadline;  ///< then close the connection and call failed() with kTimeout
  bool is_watch = false;
};
struct ListWatchWait {
  TimePoint until;
};
using ListWatchAction = std::variant<ListWatchRequest, ListWatchWait>;

/// State for /metrics and /readyz.
struct ListWatchStatus {
  std::optional<TimePoint> listed;          ///< end of the last complete list; nullopt: never
  std::optional<TimePoint> watching_since;  ///< nullopt: no watch is open
  std::optional<TimePoint> last_heard;      ///< last byte of a successful response
  std::optional<TimePoint> failing_since;   ///< first failure after the last success
  std::string failure;                      ///< last failure, one line; empty: none since a success
  std::string resource_version;             ///< where the next watch begins
  std::uint64_t lists = 0;                  ///< completed lists
  std::uint64_t watches = 0;                ///< opened watches
  std::uint64_t events = 0;
  std::uint64_t rejected = 0;  ///< unusable objects
};

/// Drives an ObjectSink from requests that a caller carries out:
///
///     for (;;) {
///       action = list_watch.next(now);
///       wait, or send the request and report its answer: answered(), body()..., ended() or
///       failed()
///     }
///
/// Guarantees:
/// - A watch always names a resourceVersion (or requests initial events), so it misses nothing.
/// - The server ends a watch after a random time; one that lasts longer by watch_grace has a
///   deadline on our side. Bookmarks, where they arrive, advance the version; they are no
///   heartbeat.
/// - 410, on a watch or on a `continue` token, restarts the list beside the old one, which stays in
///   force. So does a server whose data was replaced: it reports that our version is too large, or
///   it has, when compared after a watch that failed or ended early, a smaller version or an object
///   that our list lacks. (1.20 does not answer a watch from a version that it has not reached
///   yet.)
/// - Every failure waits: 0.25 s doubling to 4 s, at least as long as Retry-After; 30 to 45 s after
///   403 and 404, because the permission or the kind may be added later; all of it with jitter.
/// - An object that cannot be used is passed to `rejected` and ends nothing.
///
/// Owner: an informer. Thread: the informer's.
class ListWatch {
 public:
  using OnRejected = std::function<void(const Error& error)>;

  /// `sink` and `random` must outlive it. Errors passed to `rejected` name the object.
  ListWatch(ListWatchOptions options, ObjectSink& sink, Random& random, OnRejected rejected);
  ~ListWatch();
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;

  /// Returns the next step. Do not call it during a request.
  ListWatchAction next(TimePoint now);

  /// Handles the head of the response.
  void answered(int http_status, std::optional<Duration> retry_after, TimePoint now);
  /// Handles a part of its body. After an error the rest cannot be used: close the connection and
  /// call failed() with the error.
  Result<void> body(std::string_view chunk, TimePoint now);
  /// Handles the end of a complete response, or of a watch that the server has ended.
  void ended(TimePoint now);
  /// Handles a failure: no connection, no response, a truncated response, the deadline. Call it in
  /// place of ended(), also without answered().
  void failed(const Error& error, TimePoint now);

  ListWatchStatus status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
