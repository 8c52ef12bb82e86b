// The protocol of an informer: list, then watch, for ever. A state machine without I/O.
// Source: Kubernetes, "API Concepts", Efficient detection of changes; the complaints about clients
// that stop in silence (kubernetes-client/python#1148 and its like).
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
  std::string label_selector = {};  ///< the text form, filtered by the server
  std::string field_selector = {};
  bool try_watch_list = false;  ///< ServerFeatures::may_have_watch_list()
  int page_size = 500;
  Duration page_timeout = std::chrono::seconds(60);  ///< for one page, from request to last byte
  Duration watch_min = std::chrono::seconds(240);    ///< timeoutSeconds is drawn from here
  Duration watch_max = std::chrono::seconds(480);    ///< to here
  Duration watch_grace = std::chrono::seconds(30);   ///< then we break it
};

/// What to do next.
struct ListWatchRequest {
  std::string target;  ///< GET this
  TimePoint deadline;  ///< then break the connection and call failed() with kTimeout
  bool is_watch = false;
};
struct ListWatchWait {
  TimePoint until;
};
using ListWatchAction = std::variant<ListWatchRequest, ListWatchWait>;

/// For /metrics and /readyz.
struct ListWatchStatus {
  std::optional<TimePoint> listed;          ///< when the last list was complete; nothing: never
  std::optional<TimePoint> watching_since;  ///< nothing: no watch is open
  std::optional<TimePoint> last_heard;      ///< the last byte of an answer that succeeded
  std::optional<TimePoint> failing_since;   ///< the first failure after the last success
  std::string failure;                      ///< the last one, one line; empty: none since a success
  std::string resource_version;             ///< what the next watch begins with
  std::uint64_t lists = 0;                  ///< complete ones
  std::uint64_t watches = 0;                ///< opened ones
  std::uint64_t events = 0;
  std::uint64_t rejected = 0;  ///< objects that could not be used
};

/// Drives an ObjectSink from requests that a caller carries out:
///
///     for (;;) {
///       action = list_watch.next(now);
///       wait, or send the request and report its answer: answered(), body()..., ended() or
///       failed()
///     }
///
/// What it promises:
/// - A watch always names a resourceVersion (or asks for initial events), so it misses nothing.
/// - A watch ends by the server after a drawn time; one that outlives it by watch_grace has a
///   deadline on our side. Bookmarks move the version on where they come; they are no heartbeat.
/// - 410, on a watch or on a `continue` token, lists anew beside the old list, which stays in
/// force.
///   So does a server whose data was replaced: it says that our version is too large, or it shows,
///   when asked after a watch that broke or ended early, a smaller version or an object that our
///   list lacks. (1.20 answers a watch from a version that it has not reached yet with silence.)
/// - Every failure waits: 0.25 s doubling to 4 s, at least as long as Retry-After says; 30 to 45 s
///   after 403 and 404 (no right, no such kind: both may come); all of it with jitter.
/// - An object that cannot be used goes to `rejected` and ends nothing.
///
/// Owner: an informer. Thread: the informer's.
class ListWatch {
 public:
  using OnRejected = std::function<void(const Error& error)>;

  /// `sink` and `random` outlive it. Errors passed to `rejected` name the object.
  ListWatch(ListWatchOptions options, ObjectSink& sink, Random& random, OnRejected rejected);
  ~ListWatch();
  ListWatch(const ListWatch&) = delete;
  ListWatch& operator=(const ListWatch&) = delete;

  /// Not while a request is under way.
  ListWatchAction next(TimePoint now);

  /// The head of the answer to the request.
  void answered(int http_status, std::optional<Duration> retry_after, TimePoint now);
  /// A part of its body. An error: nothing more of it can be used; break the connection and call
  /// failed() with it.
  Result<void> body(std::string_view chunk, TimePoint now);
  /// The answer is whole, or the server has ended the watch.
  void ended(TimePoint now);
  /// No connection, no answer, a cut answer, the deadline. In place of ended(), also without
  /// answered().
  void failed(const Error& error, TimePoint now);

  ListWatchStatus status() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::kubernetes
