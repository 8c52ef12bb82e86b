#include "kubernetes/io/elector.hpp"

#include <memory>
#include <utility>

#include "base/sys/log.hpp"
#include "http/io/websocket.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::kubernetes {

namespace {

using namespace std::chrono_literals;

constexpr Duration kCallTimeout = 3s;
constexpr Duration kConnectTimeout = 500ms;
constexpr Duration kPing = 250ms;
constexpr Duration kDead = 1s;
constexpr Duration kLook = 500ms;  // between two looks at who the holder is, and two connections
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;

Result<Lease> read_lease(const std::string& body) {
  BELLOWS_TRY(const auto document, parse_document(body));
  return Lease::from(*document);
}

/// Returns when the connection is lost. Both sides ping while they read.
http::Awaitable<void> read_until_lost(http::WebSocket& socket) {
  for (;;) {
    const Result<std::string> message = co_await socket.read();
    if (!message) co_return;
  }
}

http::Awaitable<void> serve_member(std::unique_ptr<http::WebSocket> socket) {
  co_await read_until_lost(*socket);
}

}  // namespace

Elector::Elector(http::net::io_context& io, const sys::Clock& clock, ApiClient& client,
                 ElectionOptions options, Member self, ElectorCallbacks callbacks)
    : clock_(clock),
      client_(client),
      ns_(options.ns),
      name_(options.name),
      election_(std::move(options), std::move(self)),
      callbacks_(std::move(callbacks)),
      wake_(io, http::AsioTimer::time_point::max()),
      election_task_(io),
      watch_(io) {}

void Elector::add_route(http::ServiceServer& server) {
  server.websocket(kMemberPath, serve_member);
}

void Elector::start() {
  election_task_.spawn("election", [this] { return run(); });
  watch_.spawn("holder", [this] { return watch_holder(); });
}

std::string Elector::holder_name() const {
  const auto member = read_member(election_.holder());
  return member ? member->name : election_.holder();
}

void Elector::wake() {
  wake_.cancel();
}

http::Awaitable<void> Elector::run() {
  while (!election_.is_lost() && !is_stopping_) {
    ElectionStep step = election_.next(clock_.now(), clock_.wall_now());
    if (step.kind != ElectionStep::Kind::kWait) {
      co_await carry_out(std::move(step));
      continue;
    }
    wake_.expires_at(http::to_steady(step.at));
    boost::system::error_code ignored;
    if (!is_stopping_) co_await wake_.async_wait(http::awaiting(ignored));
  }
  if (election_.is_lost() && !is_stopping_) callbacks_.lost(holder_name());
}

http::Awaitable<void> Elector::carry_out(ElectionStep step) {
  const bool creates = step.kind == ElectionStep::Kind::kCreate;
  if (step.kind == ElectionStep::Kind::kRead) {
    co_await read();
  } else {
    co_await write(creates ? ApiVerb::kCreate : ApiVerb::kUpdate, std::move(step.lease));
  }
  if (is_holder() && !std::exchange(was_elected_, true)) callbacks_.elected();
}

ApiRequest Elector::request(ApiVerb verb) const {
  ApiRequest made(verb, leases(), ns_, verb == ApiVerb::kCreate ? std::string() : name_);
  made.priority = Priority::kOrder;
  made.timeout = kCallTimeout;
  made.is_restricted = false;
  return made;
}

http::Awaitable<void> Elector::read() {
  const Result<ApiAnswer> answer = co_await client_.send(request(ApiVerb::kGet));
  if (!answer) {
    failed(answer.error(), false);
    co_return;
  }
  if (answer->http_status == kNotFound) {
    election_.read(std::nullopt, clock_.now());
    co_return;
  }
  Result<Lease> lease = answer->is_success() ? read_lease(answer->body) : fail(answer->error());
  if (lease) {
    failure_.clear();
    election_.read(*std::move(lease), clock_.now());
  } else {
    failed(lease.error(), false);
  }
}

http::Awaitable<void> Elector::write(ApiVerb verb, Lease lease) {
  const TimePoint sent = clock_.now();
  ApiRequest made = request(verb);
  made.body = lease_json(lease);
  const Result<ApiAnswer> answer = co_await client_.send(std::move(made));
  if (!answer) {
    failed(answer.error(), false);
    co_return;
  }
  if (!answer->is_success()) {
    not_written(verb, *answer, clock_.now());
    co_return;
  }
  Result<Lease> stored = read_lease(answer->body);
  if (stored) {
    failure_.clear();
    election_.written(*std::move(stored), sent, clock_.now());
  } else {
    failed(stored.error(), true);
  }
}

/// A namespace that is being deleted forbids new objects, and does not exist at the end.
void Elector::not_written(ApiVerb verb, const ApiAnswer& answer, TimePoint now) {
  const bool is_missing = answer.http_status == kNotFound;
  const bool is_outdated =
      answer.http_status == kConflict || (is_missing && verb == ApiVerb::kUpdate);
  if (is_outdated) {
    election_.failed(true, now);
    return;
  }
  const bool is_forbidden = is_missing || answer.http_status == kForbidden;
  failed(answer.error(), false);
  if (verb == ApiVerb::kCreate && is_forbidden) election_.forbidden(now);
}

/// Logs one line per kind of failure.
void Elector::failed(const Error& error, bool is_outdated) {
  election_.failed(is_outdated, clock_.now());
  const std::string text = to_string(error);
  if (std::exchange(failure_, text) == text) return;
  sys::log::warning("the lease cannot be kept", {{"lease", ns_ + "/" + name_}, {"error", text}});
}

http::Awaitable<void> Elector::watch_holder() {
  std::string connected;  // the holder to which a connection was made
  for (;;) {
    const std::string holder = election_.holder();
    const auto member = read_member(holder);
    const bool is_other = member && !member->address.host.empty() && !election_.is_own();
    if (is_other) {
      const bool was_reached = co_await watch(*member);
      if (was_reached) {
        connected = holder;
        continue;  // it broke: is another one possible?
      }
      if (std::exchange(connected, std::string()) == holder) {
        sys::log::warning("the holder of the lease does not answer", {{"holder", member->name}});
        election_.suspect(holder);
        wake();
      }
    }
    const bool may_go_on = co_await http::sleep_for(kLook);
    if (!may_go_on) co_return;
  }
}

/// Keeps a connection until it breaks; returns false if none was made.
http::Awaitable<bool> Elector::watch(const Member& holder) {
  http::WebSocketOptions options;
  options.handshake_timeout = kConnectTimeout;
  options.ping_after = kPing;
  options.dead_after = kDead;
  const auto socket = co_await http::connect_websocket(holder.address, kMemberPath, options);
  if (!socket) co_return false;
  co_await read_until_lost(**socket);
  co_return true;
}

http::Awaitable<void> Elector::stop(TimePoint deadline) {
  is_stopping_ = true;
  watch_.stop();
  wake();
  const Result<void> has_ended = co_await election_task_.join(deadline);
  election_task_.stop();
  (void)co_await watch_.join(deadline);
  if (!has_ended) co_return;
  const auto lease = election_.release();
  if (!lease) co_return;
  is_given_up_ = true;
  ApiRequest made = request(ApiVerb::kUpdate);
  made.body = lease_json(*lease);
  const Result<std::string> released = co_await client_.call(std::move(made));
  if (released) co_return;
  sys::log::warning("the lease was not given up; it ends by itself",
                    {{"error", to_string(released.error())}});
}

}  // namespace bellows::kubernetes
