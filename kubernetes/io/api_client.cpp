#include "kubernetes/io/api_client.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/duration_text.hpp"
#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "http/core/head.hpp"
#include "http/io/client_request.hpp"
#include "http/io/socket_deadline.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/backoff.hpp"
#include "kubernetes/io/connection_pool.hpp"

namespace bellows::kubernetes {

namespace {

using http::Awaitable;

constexpr int kUnauthorized = 401;
constexpr int kTooManyRequests = 429;
constexpr int kServiceUnavailable = 503;

std::string_view method_of(ApiVerb verb) {
  switch (verb) {
    case ApiVerb::kGet:
    case ApiVerb::kList:
    case ApiVerb::kWatch:
      return "GET";
    case ApiVerb::kCreate:
      return "POST";
    case ApiVerb::kUpdate:
      return "PUT";
    case ApiVerb::kPatch:
      return "PATCH";
    case ApiVerb::kDelete:
      return "DELETE";
  }
  return "GET";
}

std::optional<Duration> retry_after_of(const http::Response& response) {
  for (const auto& [name, value] : response.headers) {
    if (http::equals_lower(name, "retry-after")) return parse_retry_after(value);
  }
  return std::nullopt;
}

/// The permission to send a call, until its destruction.
class Slot {
 public:
  explicit Slot(std::function<void()> give_back) : give_back_(std::move(give_back)) {}
  Slot(Slot&& other) noexcept : give_back_(std::exchange(other.give_back_, nullptr)) {}
  Slot& operator=(Slot&&) = delete;
  ~Slot() {
    if (give_back_) give_back_();
  }

 private:
  std::function<void()> give_back_;
};

/// The head of a response, on the connection that has its body.
struct Answered {
  PooledConnection pooled;
  http::Response head;
};

}  // namespace

class ApiClient::Impl {
 public:
  Impl(http::net::io_context& io, std::shared_ptr<Credentials> credentials, Random& random,
       ApiClientOptions options)
      : timer_(io),
        credentials_(std::move(credentials)),
        random_(random),
        options_(std::move(options)),
        limiter_({.per_second = options_.calls_per_second,
                  .burst = options_.burst,
                  .under_way = options_.max_calls}),
        pool_(credentials_->server().endpoint, options_.max_idle_connections) {}

  Awaitable<Result<ApiAnswer>> send(const ApiRequest& request);
  Awaitable<Result<void>> stream(const ApiRequest& request, std::string target, TimePoint deadline,
                                 ApiStream into);

  void restrict_writes(std::function<Result<void>()> may_write) {
    may_write_ = std::move(may_write);
  }
  Result<void> may_write() const { return may_write_ ? may_write_() : Result<void>(); }

  const Credentials& credentials() const { return *credentials_; }
  const ApiCallCounters& counters() const { return counters_; }
  std::optional<TimePoint> last_answer() const { return last_answer_; }
  std::optional<TimePoint> unanswered_since() const { return unanswered_since_; }

 private:
  /// One request, from the rate limit to the head of its response.
  struct Call {
    const ApiRequest& request;
    std::string target;
    TimePoint deadline;
    bool has_refreshed = false;    // renewed credentials after a 401
    bool has_reconnected = false;  // after a kept-alive connection that failed
  };
  struct Waiting {
    http::AsioTimer timer;
    bool is_admitted = false;
  };

  Awaitable<Result<Slot>> enter(const Call& call);
  Result<void> check_write(const ApiRequest& request) const;
  void admit();
  Awaitable<Result<Answered>> attempt(Call& call);
  Awaitable<Result<Answered>> exchange(Call& call, Access access);
  Awaitable<Result<ApiAnswer>> read_answer(const Call& call, Answered answered);
  Awaitable<Result<ApiAnswer>> send_once(Call& call, std::optional<Duration>& retry_after);
  Awaitable<Result<void>> read_stream(PooledConnection& pooled, const ApiStream& into);
  Error failure(const Call& call, const Error& error) const;
  void count(const Call& call, std::string result);
  void note_answer();

  http::AsioTimer timer_;                     // expires when the next call may be sent
  std::shared_ptr<Credentials> credentials_;  // owners: as of Credentials
  Random& random_;
  ApiClientOptions options_;
  CallLimiter limiter_;
  std::map<CallLimiter::Ticket, Waiting*> waiting_;
  ConnectionPool pool_;
  ApiCallCounters counters_;
  std::optional<TimePoint> last_answer_;
  std::optional<TimePoint> unanswered_since_;
  std::function<Result<void>()> may_write_;  // empty: always
  Lifetime lifetime_;
};

// ---- the rate limit

/// Admits the calls that may be sent, and repeats this when the next one may.
void ApiClient::Impl::admit() {
  const TimePoint at = sys::system_clock().now();
  while (const auto ticket = limiter_.admit(at)) {
    Waiting& waiting = *waiting_.at(*ticket);
    waiting_.erase(*ticket);
    waiting.is_admitted = true;
    waiting.timer.cancel();
  }
  const auto next = limiter_.next_at(at);
  if (!next) return;
  timer_.expires_at(http::to_steady(*next));
  timer_.async_wait(lifetime_.bind([this](const boost::system::error_code& error) {
    if (!error) admit();
  }));
}

Awaitable<Result<Slot>> ApiClient::Impl::enter(const Call& call) {
  const Priority priority = call.request.priority;
  const TimePoint since = sys::system_clock().now();
  Waiting waiting{.timer = http::AsioTimer(timer_.get_executor(), http::to_steady(call.deadline))};
  const CallLimiter::Ticket ticket = limiter_.enqueue(priority);
  waiting_.emplace(ticket, &waiting);
  Slot slot([this, ticket, priority] {
    if (waiting_.erase(ticket) != 0) {
      limiter_.withdraw(ticket);
    } else {
      limiter_.finished(priority);
    }
    admit();
  });
  admit();
  boost::system::error_code ignored;
  if (!waiting.is_admitted) co_await waiting.timer.async_wait(http::awaiting(ignored));
  counters_.limited += sys::system_clock().now() - since;
  if (waiting.is_admitted) co_return std::move(slot);
  if (sys::system_clock().now() < call.deadline) {
    co_return fail(ErrorKind::kCancelled, call.request.description(), "the program is stopping");
  }
  co_return fail(
      ErrorKind::kTimeout, call.request.description(),
      "waited " + duration_text(sys::system_clock().now() - since) + " for our own limit of " +
          std::to_string(static_cast<int>(options_.calls_per_second)) + " calls a second");
}

Result<void> ApiClient::Impl::check_write(const ApiRequest& request) const {
  const bool is_write = method_of(request.verb) != "GET";
  if (!is_write || !request.is_restricted) return {};
  const Result<void> allowed = may_write();
  if (allowed) return {};
  return fail(allowed.error().kind(), request.description(), to_string(allowed.error()));
}

// ---- one exchange

Error ApiClient::Impl::failure(const Call& call, const Error& error) const {
  Error named(error.kind(), call.request.description(), to_string(error), error.side());
  return error.may_retry() ? std::move(named).retryable() : named;
}

void ApiClient::Impl::count(const Call& call, std::string result) {
  ++counters_.calls[{.verb = std::string(to_string(call.request.verb)),
                     .resource = call.request.resource_text(),
                     .result = std::move(result)}];
}

void ApiClient::Impl::note_answer() {
  last_answer_ = sys::system_clock().now();
  unanswered_since_.reset();
}

/// Sends the request and reads the head of the response.
Awaitable<Result<Answered>> ApiClient::Impl::exchange(Call& call, Access access) {
  const ApiServer& server = credentials_->server();
  http::ClientRequest request{
      .method = std::string(method_of(call.request.verb)),
      .target = server.base_path + call.target,
      .body = call.request.body,
      .headers = {{"User-Agent", options_.user_agent}, {"Accept", call.request.accept}},
      .keeps_alive = true};
  const auto add = [&request](const char* name, const std::string& value) {
    if (!value.empty()) request.headers.emplace_back(name, value);
  };
  add("Authorization", access.authorization);
  add("Impersonate-User", access.impersonate);
  if (!call.request.body.empty()) add("Content-Type", call.request.content_type);
  BELLOWS_CO_TRY(const std::string bytes, http::to_bytes(request, server.endpoint));
  for (;;) {
    BELLOWS_CO_TRY(PooledConnection pooled, co_await pool_.take(access.tls, call.deadline));
    http::ClientConnection& connection = *pooled.connection;
    const http::SocketDeadline deadline(connection.socket(), call.deadline);
    const Result<void> sent = co_await connection.send(bytes);
    Result<http::Response> head = fail(ErrorKind::kReset, to_string(server.endpoint), "not sent");
    if (sent) head = co_await connection.response().read_head(request.method);
    if (head) co_return Answered{.pooled = std::move(pooled), .head = std::move(*head)};
    if (deadline.has_expired()) {
      co_return fail(ErrorKind::kTimeout, to_string(server.endpoint), "no answer in time",
                     ErrorSide::kUpstream);
    }
    // The server may close a kept-alive connection at any time; then it has not seen the request.
    const bool was_stale = pooled.is_reused && connection.response().has_nothing();
    if (!was_stale || request.method != "GET" || std::exchange(call.has_reconnected, true)) {
      co_return fail(sent ? head.error() : sent.error());
    }
    pool_.clear();
  }
}

/// Does the same with credentials, which are renewed after a 401.
Awaitable<Result<Answered>> ApiClient::Impl::attempt(Call& call) {
  for (;;) {
    auto access = co_await credentials_->access(call.deadline);
    if (!access) {
      count(call, std::string(to_string(access.error().kind())));
      co_return fail(failure(call, access.error()));
    }
    if (!unanswered_since_) unanswered_since_ = sys::system_clock().now();
    Result<Answered> answered = co_await exchange(call, std::move(*access));
    if (!answered) {
      count(call, std::string(to_string(answered.error().kind())));
      co_return fail(failure(call, answered.error()));
    }
    note_answer();
    count(call, std::to_string(answered->head.status));
    if (answered->head.status != kUnauthorized) co_return answered;
    credentials_->reject();
    pool_.clear();
    if (std::exchange(call.has_refreshed, true)) co_return answered;
  }
}

Awaitable<Result<ApiAnswer>> ApiClient::Impl::read_answer(const Call& call, Answered answered) {
  http::ClientConnection& connection = *answered.pooled.connection;
  const http::SocketDeadline deadline(connection.socket(), call.deadline);
  Result<std::string> body =
      co_await connection.response().read_body(call.request.max_answer_bytes);
  if (!body && deadline.has_expired()) {
    co_return fail(ErrorKind::kTimeout, call.request.description(),
                   credentials_->server().url + ": no whole answer within " +
                       duration_text(call.request.timeout),
                   ErrorSide::kUpstream);
  }
  if (!body) co_return fail(failure(call, body.error()));
  pool_.give_back(std::move(answered.pooled));
  co_return ApiAnswer{.http_status = answered.head.status,
                      .body = std::move(*body),
                      .description = call.request.description()};
}

// ---- whole answers

Awaitable<Result<ApiAnswer>> ApiClient::Impl::send_once(Call& call,
                                                        std::optional<Duration>& retry_after) {
  BELLOWS_CO_TRY(const Slot slot, co_await enter(call));
  BELLOWS_CO_CHECKED(check_write(call.request));
  BELLOWS_CO_TRY(Answered answered, co_await attempt(call));
  retry_after = retry_after_of(answered.head);
  co_return co_await read_answer(call, std::move(answered));
}

Awaitable<Result<ApiAnswer>> ApiClient::Impl::send(const ApiRequest& request) {
  Call call{.request = request,
            .target = request.target(),
            .deadline = sys::system_clock().now() + request.timeout};
  for (;;) {
    std::optional<Duration> retry_after;
    Result<ApiAnswer> answer = co_await send_once(call, retry_after);
    if (!answer || !retry_after) co_return answer;
    const int status = answer->http_status;
    if (status != kTooManyRequests && status != kServiceUnavailable) co_return answer;
    constexpr double kJitter = 0.2;
    constexpr Duration kShortest = std::chrono::milliseconds(100);
    const Duration wait = std::clamp(*retry_after, kShortest, options_.max_retry_after);
    const TimePoint again = sys::system_clock().now() + with_jitter(wait, kJitter, random_);
    if (again >= call.deadline) co_return answer;
    const bool is_over = co_await http::sleep_until(again);
    if (!is_over) co_return answer;
  }
}

// ---- streams

Awaitable<Result<void>> ApiClient::Impl::read_stream(PooledConnection& pooled,
                                                     const ApiStream& into) {
  for (;;) {
    BELLOWS_CO_TRY(const std::string_view chunk,
                   co_await pooled.connection->response().read_chunk());
    if (chunk.empty()) co_return Result<void>();
    note_answer();
    BELLOWS_CO_CHECKED(into.on_chunk(chunk));
  }
}

Awaitable<Result<void>> ApiClient::Impl::stream(const ApiRequest& request, std::string target,
                                                TimePoint deadline, ApiStream into) {
  // A watch is answered at once, although its events may take long.
  Call call{.request = request,
            .target = std::move(target),
            .deadline = std::min(deadline, sys::system_clock().now() + request.timeout)};
  std::optional<Answered> answered;
  {
    BELLOWS_CO_TRY(const Slot slot, co_await enter(call));
    BELLOWS_CO_TRY(answered, co_await attempt(call));
  }
  const http::SocketDeadline breaks_it(answered->pooled.connection->socket(), deadline);
  into.on_head(answered->head.status, retry_after_of(answered->head));
  const Result<void> done = co_await read_stream(answered->pooled, into);
  if (done) {
    pool_.give_back(std::move(answered->pooled));
    co_return Result<void>();
  }
  if (breaks_it.has_expired()) {
    co_return fail(ErrorKind::kTimeout, request.description(),
                   credentials_->server().url + ": not ended in time, broken by us",
                   ErrorSide::kUpstream);
  }
  co_return fail(failure(call, done.error()));
}

// ---- the contract

ApiClient::ApiClient(http::net::io_context& io, std::shared_ptr<Credentials> credentials,
                     Random& random, ApiClientOptions options)
    : impl_(std::make_unique<Impl>(io, std::move(credentials), random, std::move(options))) {}

ApiClient::~ApiClient() = default;

void ApiClient::restrict_writes(std::function<Result<void>()> may_write) {
  impl_->restrict_writes(std::move(may_write));
}

Result<void> ApiClient::may_write() const {
  return impl_->may_write();
}

Awaitable<Result<ApiAnswer>> ApiClient::send(ApiRequest request) {
  co_return co_await impl_->send(request);
}

Awaitable<Result<std::string>> ApiClient::call(ApiRequest request) {
  BELLOWS_CO_TRY(ApiAnswer answer, co_await impl_->send(request));
  if (!answer.is_success()) co_return fail(answer.error());
  co_return std::move(answer.body);
}

Awaitable<Result<void>> ApiClient::stream(ApiRequest request, std::string target,
                                          TimePoint deadline, ApiStream into) {
  co_return co_await impl_->stream(request, std::move(target), deadline, std::move(into));
}

const ApiServer& ApiClient::server() const {
  return impl_->credentials().server();
}

const Credentials& ApiClient::credentials() const {
  return impl_->credentials();
}

const ApiCallCounters& ApiClient::counters() const {
  return impl_->counters();
}

std::optional<TimePoint> ApiClient::last_answer() const {
  return impl_->last_answer();
}

std::optional<TimePoint> ApiClient::unanswered_since() const {
  return impl_->unanswered_since();
}

}  // namespace bellows::kubernetes
