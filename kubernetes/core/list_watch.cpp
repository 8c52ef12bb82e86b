#include "kubernetes/core/list_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/query.hpp"
#include "kubernetes/core/backoff.hpp"
#include "kubernetes/core/event_reader.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/status.hpp"

namespace bellows::kubernetes {

namespace {

constexpr int kOk = 200;
constexpr Duration kSlowRetry = std::chrono::seconds(30);
/// A watch that ends sooner without an event is a failure, because its server or a proxy ends every
/// watch that way.
constexpr Duration kShortWatch = std::chrono::seconds(1);
/// A request that lasted this long shows that the server has recovered.
constexpr Duration kSteady = std::chrono::seconds(5);
constexpr Duration kSpread = std::chrono::seconds(1);
constexpr std::size_t kMaxErrorBody = std::size_t{64} * 1024;

/// Kind of the next request.
enum class Phase : std::uint8_t {
  kList,       ///< a page of the list -> kList (next page), kWatch
  kWatchList,  ///< a watch that begins with the list -> kList (not supported), kWatch
  kWatch,      ///< -> kWatch, kCompare (it failed, or ended early), kList or kWatchList (410)
  kCompare,    ///< one object: is it the same server data? -> kWatch, kList or kWatchList
};

/// The current request and its result so far.
struct Request {
  TimePoint expected_end;  // end of a watch by the server
  TimePoint answered;
  int http_status = 0;
  std::optional<Duration> retry_after;
  std::string error_body;
  std::optional<ItemReader> items;
  std::optional<EventReader> events;
  std::optional<Status> error_event;
  std::uint64_t events_seen = 0;
  bool is_other_data = false;
};

bool ends_initial_events(const boost::json::object& bookmark) {
  std::optional<Error> wrong_type;
  const Fields fields(bookmark, "bookmark", wrong_type);
  const StringMap annotations = fields.object("metadata").map("annotations");
  return annotations.get("k8s.io/initial-events-end") == "true";
}

}  // namespace

class ListWatch::Impl {
 public:
  Impl(ListWatchOptions options, ObjectSink& sink, Random& random, OnRejected rejected)
      : options_(std::move(options)),
        sink_(sink),
        random_(random),
        rejected_(std::move(rejected)),
        has_watch_list_(options_.try_watch_list) {
    list_anew();
  }

  ListWatchAction next(TimePoint now);
  void answered(int http_status, std::optional<Duration> retry_after, TimePoint now);
  Result<void> body(std::string_view chunk, TimePoint now);
  void ended(TimePoint now);
  void failed(const Error& error, TimePoint now);

  ListWatchStatus status;

 private:
  bool is_watch() const { return phase_ == Phase::kWatch || phase_ == Phase::kWatchList; }
  ListWatchRequest list_request(TimePoint now);
  ListWatchRequest watch_request(TimePoint now);
  Query query() const;
  void open_reader();
  Result<void> take_event(const WatchEvent& event);
  void take_bookmark(const boost::json::object& bookmark);
  Result<void> compare(const boost::json::object& item);
  void reject(const Error& error);
  void page_ended(TimePoint now);
  void watch_ended(TimePoint now);
  void compared(TimePoint now);
  void list_complete(TimePoint now);
  void refused(Status answer, TimePoint now);
  void retry(const std::string& why, Duration wait, TimePoint now);
  void list_anew();
  void works();
  Error error_of(const Status& answer) const;

  const ListWatchOptions options_;
  ObjectSink& sink_;
  Random& random_;
  OnRejected rejected_;

  Phase phase_ = Phase::kList;
  TimePoint not_before_{};
  Backoff backoff_;
  bool has_watch_list_;
  std::string continue_;  // token of the next page
  int lost_pages_ = 0;    // 410 responses in the middle of this list
  std::optional<Request> request_;
};

Query ListWatch::Impl::query() const {
  return std::move(Query(collection_path(options_.resource, options_.ns))
                       .add_unless_empty("labelSelector", options_.label_selector)
                       .add_unless_empty("fieldSelector", options_.field_selector));
}

ListWatchAction ListWatch::Impl::next(TimePoint now) {
  CHECK(!request_, "one request at a time");
  if (now < not_before_) return ListWatchWait{.until = not_before_};
  const ListWatchRequest request = is_watch() ? watch_request(now) : list_request(now);
  request_.emplace();
  request_->expected_end = request.deadline - options_.watch_grace;
  return request;
}

ListWatchRequest ListWatch::Impl::list_request(TimePoint now) {
  Query target = query();
  // A list that lost its pages twice is requested in one response, where nothing can expire between
  // pages.
  const bool is_paged = lost_pages_ < 2;
  if (phase_ == Phase::kCompare) {
    target.add("limit", 1);
  } else if (is_paged) {
    target.add("limit", options_.page_size);
  }
  if (phase_ == Phase::kList) target.add_unless_empty("continue", continue_);
  const int pages = is_paged ? 1 : 5;
  return {.target = target.target(), .deadline = now + options_.page_timeout * pages};
}

ListWatchRequest ListWatch::Impl::watch_request(TimePoint now) {
  const auto span = std::chrono::floor<std::chrono::seconds>(
      options_.watch_min +
      Duration(static_cast<Duration::rep>(
          static_cast<double>((options_.watch_max - options_.watch_min).count()) *
          random_.fraction())));
  Query target = query();
  target.add("watch", 1).add("allowWatchBookmarks", "true").add("timeoutSeconds", span.count());
  if (phase_ == Phase::kWatchList) {
    target.add("sendInitialEvents", "true").add("resourceVersionMatch", "NotOlderThan");
  } else {
    target.add("resourceVersion", status.resource_version);
  }
  return {
      .target = target.target(), .deadline = now + span + options_.watch_grace, .is_watch = true};
}

void ListWatch::Impl::answered(int http_status, std::optional<Duration> retry_after,
                               TimePoint now) {
  request_->http_status = http_status;
  request_->retry_after = retry_after;
  request_->answered = now;
  if (http_status != kOk) return;
  status.last_heard = now;
  if (is_watch()) {
    status.watching_since = now;
    ++status.watches;
    works();
  }
  const bool is_first_page = phase_ == Phase::kList && continue_.empty();
  if (is_first_page || phase_ == Phase::kWatchList) sink_.list_begins();
  open_reader();
}

void ListWatch::Impl::open_reader() {
  const auto reject = [this](const Error& error) { this->reject(error); };
  if (is_watch()) {
    request_->events.emplace(
        sink_.fields(), [this](const WatchEvent& event) { return take_event(event); }, reject);
  } else if (phase_ == Phase::kCompare) {
    request_->items.emplace(
        sink_.fields(), [this](const boost::json::object& item) { return compare(item); }, reject);
  } else {
    request_->items.emplace(
        sink_.fields(), [this](const boost::json::object& item) { return sink_.put(item); },
        reject);
  }
}

Result<void> ListWatch::Impl::body(std::string_view chunk, TimePoint now) {
  Request& request = *request_;
  if (request.http_status != kOk) {
    request.error_body.append(chunk.substr(0, kMaxErrorBody - request.error_body.size()));
    return {};
  }
  status.last_heard = now;
  BELLOWS_CHECKED(request.events ? request.events->feed(chunk) : request.items->feed(chunk));
  if (request.error_event) return fail(error_of(*request.error_event));
  return {};
}

Result<void> ListWatch::Impl::take_event(const WatchEvent& event) {
  if (request_->error_event) return {};
  ++request_->events_seen;
  if (event.type == WatchEventType::kError) {
    request_->error_event = read_status(event.object);
    return {};
  }
  if (event.type == WatchEventType::kBookmark) {
    take_bookmark(event.object);
    return {};
  }
  ++status.events;
  const ObjectIdentity identity = identity_of(event.object);
  // The initial events arrive in any order, so only the bookmark at their end has the version.
  if (phase_ == Phase::kWatch && !identity.resource_version.empty()) {
    status.resource_version = identity.resource_version;
  }
  if (event.type != WatchEventType::kDeleted) return sink_.put(event.object);
  const ObjectName name = split_key(identity.key);
  sink_.remove(name.ns, name.name);
  return {};
}

void ListWatch::Impl::take_bookmark(const boost::json::object& bookmark) {
  const bool is_end = ends_initial_events(bookmark);
  if (phase_ == Phase::kWatchList && !is_end) return;
  const ObjectIdentity identity = identity_of(bookmark);
  if (!identity.resource_version.empty()) status.resource_version = identity.resource_version;
  if (phase_ == Phase::kWatchList) list_complete(*status.last_heard);
}

/// Compares one object of the server, after a watch failed: if the data are the same, it is either
/// newer than our version or in our list unchanged.
Result<void> ListWatch::Impl::compare(const boost::json::object& item) {
  const ObjectIdentity identity = identity_of(item);
  if (is_older(status.resource_version, identity.resource_version)) return {};
  const ObjectName name = split_key(identity.key);
  request_->is_other_data =
      !sink_.holds(name.ns, name.name, identity.uid, identity.resource_version);
  return {};
}

void ListWatch::Impl::reject(const Error& error) {
  ++status.rejected;
  rejected_(error);
}

void ListWatch::Impl::ended(TimePoint now) {
  if (request_->http_status != kOk) {
    return refused(parse_status(request_->http_status, request_->error_body), now);
  }
  if (request_->error_event) return refused(*request_->error_event, now);
  if (is_watch()) return watch_ended(now);
  if (phase_ == Phase::kCompare) return compared(now);
  page_ended(now);
}

void ListWatch::Impl::page_ended(TimePoint now) {
  const auto page = request_->items->finish();
  if (!page) return failed(page.error(), now);
  if (page->resource_version.empty()) {
    return failed(Error(ErrorKind::kMalformed, "list", "metadata.resourceVersion: missing"), now);
  }
  works();
  backoff_.reset();
  request_.reset();
  continue_ = page->continue_token;
  if (!continue_.empty()) return;
  status.resource_version = page->resource_version;
  list_complete(now);
}

void ListWatch::Impl::list_complete(TimePoint now) {
  sink_.list_complete();
  status.listed = now;
  ++status.lists;
  lost_pages_ = 0;
  phase_ = Phase::kWatch;
}

void ListWatch::Impl::compared(TimePoint now) {
  const auto page = request_->items->finish();
  if (!page) return failed(page.error(), now);
  const bool is_other_data =
      request_->is_other_data || is_older(page->resource_version, status.resource_version);
  works();
  request_.reset();
  phase_ = Phase::kWatch;
  if (is_other_data) list_anew();
}

void ListWatch::Impl::watch_ended(TimePoint now) {
  if (phase_ == Phase::kWatchList) {
    has_watch_list_ = false;  // it ended before the list did; pages cannot
    return failed(Error(ErrorKind::kReset, "watch", "it ended before the initial events did"), now);
  }
  if (!request_->events->at_boundary()) {
    return failed(Error(ErrorKind::kReset, "watch", "it ended within an event"), now);
  }
  if (now - request_->answered < kShortWatch && request_->events_seen == 0) {
    return failed(Error(ErrorKind::kReset, "watch", "the server ended it at once"), now);
  }
  // A server that shuts down ends watches in good order too, and a server with other data may
  // follow it.
  if (now + kSteady < request_->expected_end) phase_ = Phase::kCompare;
  backoff_.reset();
  status.watching_since.reset();
  request_.reset();
}

void ListWatch::Impl::failed(const Error& error, TimePoint now) {
  if (request_->error_event) return refused(*request_->error_event, now);
  if (request_->http_status != 0 && request_->http_status != kOk) {
    return refused(parse_status(request_->http_status, request_->error_body), now);
  }
  const bool was_steady = request_->http_status == kOk && now - request_->answered >= kSteady;
  if (was_steady) backoff_.reset();
  if (phase_ == Phase::kWatch) phase_ = Phase::kCompare;
  if (phase_ == Phase::kWatchList && !has_watch_list_) list_anew();
  retry(to_string(error), backoff_.next(random_), now);
}

/// Handles an error response, or an ERROR event.
void ListWatch::Impl::refused(Status answer, TimePoint now) {
  const int code = answer.code;
  if (!answer.retry_after) answer.retry_after = request_->retry_after;
  if (phase_ == Phase::kWatchList && (code == 400 || code == 422)) {
    has_watch_list_ = false;
    list_anew();
    return retry(to_string(error_of(answer)), Duration::zero(), now);
  }
  if (code == 410 || answer.is_version_too_large()) {
    if (phase_ == Phase::kList && !continue_.empty()) ++lost_pages_;
    list_anew();
    // The first time it retries at once, apart from the spread; if the server continues, the
    // interval grows.
    const Duration spread = with_jitter(Duration::zero() + kSpread / 4, 3.0, random_);
    const Duration wait = backoff_.failures() == 0 ? spread : backoff_.next(random_);
    if (backoff_.failures() == 0) backoff_.next(random_);
    return retry(to_string(error_of(answer)), wait, now);
  }
  Duration wait = backoff_.next(random_);
  if (code == 403 || code == 404) wait = with_jitter(kSlowRetry, 0.5, random_);
  if (answer.retry_after) wait = std::max(wait, with_jitter(*answer.retry_after, 0.25, random_));
  retry(to_string(error_of(answer)), wait, now);
}

void ListWatch::Impl::retry(const std::string& why, Duration wait, TimePoint now) {
  request_.reset();
  status.watching_since.reset();
  if (!status.failing_since) status.failing_since = now;
  status.failure = why;
  not_before_ = now + wait;
}

void ListWatch::Impl::list_anew() {
  phase_ = has_watch_list_ ? Phase::kWatchList : Phase::kList;
  continue_.clear();
}

void ListWatch::Impl::works() {
  status.failing_since.reset();
  status.failure.clear();
}

Error ListWatch::Impl::error_of(const Status& answer) const {
  return status_error((is_watch() ? "watch " : "list ") + to_string(options_.resource) +
                          (options_.ns.empty() ? "" : " in " + options_.ns),
                      answer);
}

ListWatch::ListWatch(ListWatchOptions options, ObjectSink& sink, Random& random,
                     OnRejected rejected)
    : impl_(std::make_unique<Impl>(std::move(options), sink, random, std::move(rejected))) {}
ListWatch::~ListWatch() = default;

ListWatchAction ListWatch::next(TimePoint now) {
  return impl_->next(now);
}

void ListWatch::answered(int http_status, std::optional<Duration> retry_after, TimePoint now) {
  impl_->answered(http_status, retry_after, now);
}

Result<void> ListWatch::body(std::string_view chunk, TimePoint now) {
  return impl_->body(chunk, now);
}

void ListWatch::ended(TimePoint now) {
  impl_->ended(now);
}

void ListWatch::failed(const Error& error, TimePoint now) {
  impl_->failed(error, now);
}

ListWatchStatus ListWatch::status() const {
  return impl_->status;
}

}  // namespace bellows::kubernetes
