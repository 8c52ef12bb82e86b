#include "tests/support/fake_api_server.hpp"

#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "http/io/bound_socket.hpp"
#include "http/io/task_group.hpp"
#include "json/writer.hpp"
#include "tests/support/fake_api_discovery.hpp"
#include "tests/support/fake_api_request.hpp"
#include "tests/support/raw_peer.hpp"

namespace bellows::test {

using http::Awaitable;

namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;

std::string chunk_of(std::string_view data) {
  char size[32];
  std::snprintf(size, sizeof(size), "%zx\r\n", data.size());
  return std::string(size).append(data).append("\r\n");
}

std::string head_of(int status, std::string_view fields) {
  return "HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Type: application/json\r\n" +
         std::string(fields) + "\r\n";
}

std::string event_text(std::string_view type, const std::string& object) {
  return "{\"type\":\"" + std::string(type) + "\",\"object\":" + object + "}\n";
}

/// The last state of an object that is gone, in the version of its deletion.
std::string with_version(const std::string& object, std::uint64_t version) {
  boost::json::value value = boost::json::parse(object);
  value.get_object()["metadata"].get_object()["resourceVersion"] = std::to_string(version);
  return boost::json::serialize(value);
}

std::string retry_after(const FakeApiFault& fault) {
  if (!fault.retry_after_seconds) return {};
  return "Retry-After: " + std::to_string(*fault.retry_after_seconds) + "\r\n";
}

std::uint64_t number_of(const std::string& text) {
  return text.empty() ? 0 : std::stoull(text);
}

}  // namespace

class FakeApiServer::Impl {
 public:
  Impl(http::net::io_context& io, FakeApiServerOptions its_options)
      : options(std::move(its_options)), io_(io), tasks_(io) {
    store.on_change([this] { wake(); });
    listen({.host = "127.0.0.1", .port = 0, .unix_path = {}});
  }

  void listen(const Endpoint& endpoint) {
    bound_.emplace(http::bind_and_listen(endpoint, 0600).value());
    address = bound_->endpoint;
    acceptor_ = std::make_shared<Acceptor>(io_, http::net::generic::stream_protocol(AF_INET, 0),
                                           bound_->socket.release());
    tasks_.spawn("fake API server", [this, acceptor = acceptor_] { return accept(acceptor); });
  }

  void stop() {
    acceptor_->close();
    bound_.reset();
    drop_connections();
  }

  void drop_connections() {
    for (http::StreamSocket* socket : open_->sockets) socket->close();
    wake();
  }

  void wake() {
    for (http::AsioTimer* timer : open_->waiting) timer->cancel();
  }

  void send_bookmarks() {
    ++bookmarks_;
    wake();
  }

  void end_watches() {
    ++ends_;
    wake();
  }

  FakeApiServerOptions options;
  FakeApiStore store;
  FakeApiPages pages;
  Endpoint address;
  std::vector<FakeApiFault> faults;
  std::vector<std::string> requests;
  std::size_t watches() const { return open_->waiting.size(); }
  std::size_t connections() const { return open_->sockets.size(); }

 private:
  using Acceptor =
      http::net::basic_socket_acceptor<http::net::generic::stream_protocol, http::Executor>;
  struct Watch {
    const FakeApiKind* kind;
    std::string ns;
    std::string name;
    kubernetes::Selector labels;
    std::uint64_t version;
    bool wants_bookmarks;
  };

  Awaitable<void> accept(std::shared_ptr<Acceptor> acceptor);
  Awaitable<void> serve(http::StreamSocket accepted);
  Awaitable<bool> answer(RawPeer& peer, const FakeApiRequest& request);
  Awaitable<bool> send_fault(RawPeer& peer, const FakeApiFault& fault,
                             const FakeApiRequest& request);
  Awaitable<bool> watch(RawPeer& peer, const FakeApiPath& path, const FakeApiKind& kind,
                        const FakeApiRequest& request);
  Awaitable<bool> follow(RawPeer& peer, Watch watch, TimePoint end);
  std::optional<FakeApiFault> take_fault(const FakeApiRequest& request, const std::string& target);
  FakeApiAnswer reply(const FakeApiRequest& request);
  FakeApiAnswer reply(const FakeApiRequest& request, const FakeApiPath& path,
                      const FakeApiKind& kind);
  bool is_served(const FakeApiKind& kind) const {
    return test::is_served(kind, options.minor_version);
  }
  std::string initial_events(const Watch& watch, bool is_list) const;
  std::string changes(Watch& watch) const;
  std::string bookmark(const Watch& watch, bool ends_initial_events) const;
  static std::string raw(const FakeApiAnswer& answer, std::string_view fields);

  http::net::io_context& io_;
  std::optional<http::BoundSocket> bound_;
  std::shared_ptr<Acceptor> acceptor_;  // owners: this and accept()
  /// Connections and watches take themselves out, also those that outlive the server.
  struct Open {
    std::set<http::StreamSocket*> sockets;
    std::set<http::AsioTimer*> waiting;  // one for each watch
  };
  std::shared_ptr<Open> open_ = std::make_shared<Open>();  // owners: this and the coroutines
  std::uint64_t bookmarks_ = 0;                            // how often they were asked for
  std::uint64_t ends_ = 0;
  http::TaskGroup tasks_;
  Lifetime lifetime_;
};

Awaitable<void> FakeApiServer::Impl::accept(std::shared_ptr<Acceptor> acceptor) {
  const auto alive = lifetime_.observe();
  for (;;) {
    auto socket = std::make_shared<http::StreamSocket>(io_.get_executor());
    boost::system::error_code error;
    co_await acceptor->async_accept(*socket, http::awaiting(error));
    if (error || !alive) co_return;
    tasks_.spawn("connection", [this, socket] { return serve(std::move(*socket)); });
  }
}

Awaitable<void> FakeApiServer::Impl::serve(http::StreamSocket accepted) {
  RawPeer peer(std::move(accepted));
  const auto open = open_;
  const auto leave = [&open, &peer](void*) { open->sockets.erase(&peer.socket()); };
  const std::unique_ptr<void, decltype(leave)> guard(&peer, leave);
  open->sockets.insert(&peer.socket());
  try {
    bool is_open = true;
    while (is_open) {
      const std::string head = co_await peer.read_until("\r\n\r\n");
      FakeApiRequest request = parse_request_head(head);
      const std::string length = request.header("content-length");
      if (!length.empty()) request.body = co_await peer.read_exactly(std::stoul(length));
      const auto space = head.find(' ');
      const std::string target = head.substr(space + 1, head.find(' ', space + 1) - space - 1);
      requests.push_back(request.method + " " + target);
      const auto fault = take_fault(request, target);
      if (fault) {
        is_open = co_await send_fault(peer, *fault, request);
      } else {
        is_open = co_await answer(peer, request);
      }
    }
  } catch (const std::runtime_error&) {  // the client has closed, or the test has
  }
}

std::optional<FakeApiFault> FakeApiServer::Impl::take_fault(const FakeApiRequest& request,
                                                            const std::string& target) {
  const auto at = std::find_if(faults.begin(), faults.end(), [&](const FakeApiFault& fault) {
    return (fault.method.empty() || fault.method == request.method) &&
           target.find(fault.target) != std::string::npos;
  });
  if (at == faults.end()) return std::nullopt;
  const FakeApiFault fault = *at;
  if (--at->times == 0) faults.erase(at);
  return fault;
}

std::string FakeApiServer::Impl::raw(const FakeApiAnswer& answer, std::string_view fields) {
  const std::string more(fields);
  if (answer.body.size() <= kChunk) {
    return head_of(answer.status,
                   more + "Content-Length: " + std::to_string(answer.body.size()) + "\r\n") +
           answer.body;
  }
  std::string text = head_of(answer.status, more + "Transfer-Encoding: chunked\r\n");
  for (std::string_view rest = answer.body; !rest.empty();) {
    text += chunk_of(rest.substr(0, kChunk));
    rest.remove_prefix(std::min(kChunk, rest.size()));
  }
  return text + "0\r\n\r\n";
}

Awaitable<bool> FakeApiServer::Impl::send_fault(RawPeer& peer, const FakeApiFault& fault,
                                                const FakeApiRequest& request) {
  using Kind = FakeApiFault::Kind;
  std::string whole;  // made outside of co_await: see the trap in http/io/net.hpp
  switch (fault.kind) {
    case Kind::kHang:
      co_await peer.read_to_end();
      co_return false;
    case Kind::kStatus:
      whole = raw(api_status(fault.code, "Fault", "on request"), retry_after(fault));
      break;
    case Kind::kGarbage:
      whole = raw(FakeApiAnswer{.status = 200, .body = "<html>garbage"}, "");
      break;
    case Kind::kErrorEvent: {
      const auto error = api_status(fault.code, "Expired", "too old resource version");
      whole = head_of(200, "Transfer-Encoding: chunked\r\n") +
              chunk_of(event_text("ERROR", error.body)) + "0\r\n\r\n";
      break;
    }
    case Kind::kCut:
      whole = raw(reply(request), "").substr(0, fault.bytes);
      break;
  }
  bool is_open = co_await peer.send(whole);
  if (fault.kind == Kind::kCut) {
    peer.close();
    is_open = false;
  }
  co_return is_open;
}

Awaitable<bool> FakeApiServer::Impl::answer(RawPeer& peer, const FakeApiRequest& request) {
  const auto path = parse_api_path(request.path);
  const FakeApiKind* kind = path ? store.find_kind(path->resource) : nullptr;
  const std::string wanted = request.parameter("watch");
  const bool is_allowed =
      options.token.empty() || request.header("authorization") == "Bearer " + options.token;
  bool sent = true;
  if (is_allowed && kind != nullptr && is_served(*kind) && (wanted == "1" || wanted == "true")) {
    sent = co_await watch(peer, *path, *kind, request);
  } else {
    const std::string whole = raw(reply(request), "");
    sent = co_await peer.send(whole);
  }
  co_return sent;
}

FakeApiAnswer FakeApiServer::Impl::reply(const FakeApiRequest& request) {
  if (!options.token.empty() && request.header("authorization") != "Bearer " + options.token) {
    return api_status(401, "Unauthorized", "Unauthorized");
  }
  if (const auto page = page_of(pages, request.path, request.header("accept"))) return *page;
  if (const auto found = discover(store, options.minor_version, request.path)) return *found;
  const auto path = parse_api_path(request.path);
  const FakeApiKind* kind = path ? store.find_kind(path->resource) : nullptr;
  if (kind == nullptr || !is_served(*kind)) {
    return {.status = 404, .body = "404 page not found\n"};
  }
  const bool is_known_part = path->subresource.empty() ||
                             (path->subresource == "status" && kind->has_status) ||
                             (path->subresource == "scale" && kind->has_scale);
  if (!is_known_part) {
    return api_status(404, "NotFound", "the server could not find the requested resource");
  }
  return reply(request, *path, *kind);
}

FakeApiAnswer FakeApiServer::Impl::reply(const FakeApiRequest& request, const FakeApiPath& path,
                                         const FakeApiKind& kind) {
  FakeApiWrite write{.content_type = request.header("content-type"),
                     .body = request.body,
                     .manager = request.parameter("fieldManager"),
                     .now = sys::system_clock().wall_now(),
                     .is_graceful = true};
  if (write.manager.empty()) {
    const std::string agent = request.header("user-agent");
    write.manager = agent.substr(0, agent.find('/'));
  }
  if (path.name.empty()) {
    if (request.method == "POST") return store.create(kind, path.ns, write);
    if (request.method != "GET") return api_status(405, "MethodNotAllowed", request.method);
    auto labels = kubernetes::Selector::parse(request.parameter("labelSelector"));
    if (!labels) return api_status(400, "BadRequest", to_string(labels.error()));
    FakeApiStore::ListOptions list{.ns = path.ns,
                                   .labels = *std::move(labels),
                                   .name = {},
                                   .limit = number_of(request.parameter("limit")),
                                   .token = request.parameter("continue")};
    const std::string field = request.parameter("fieldSelector");
    if (field.starts_with("metadata.name=")) list.name = field.substr(14);
    return store.list(kind, list);
  }
  if (request.method == "GET") return store.get(kind, path.ns, path.name, path.subresource);
  if (request.method == "PUT") {
    return store.update(kind, path.ns, path.name, path.subresource, write);
  }
  if (request.method == "PATCH") {
    return store.patch(kind, path.ns, path.name, path.subresource, write);
  }
  if (request.method == "DELETE") {
    write.is_graceful = request.parameter("gracePeriodSeconds") != "0" &&
                        request.body.find("\"gracePeriodSeconds\":0") == std::string::npos;
    return store.erase(kind, path.ns, path.name, write);
  }
  return api_status(405, "MethodNotAllowed", request.method);
}

std::string FakeApiServer::Impl::bookmark(const Watch& watch, bool ends_initial_events) const {
  json::Writer object;
  object.text("kind", watch.kind->kind).text("apiVersion", api_version(watch.kind->resource));
  object.open("metadata").text("resourceVersion", std::to_string(watch.version));
  object.null("creationTimestamp");
  if (ends_initial_events) {
    object.open("annotations").text("k8s.io/initial-events-end", "true").close();
  }
  return event_text("BOOKMARK", object.close().end());
}

std::string FakeApiServer::Impl::initial_events(const Watch& watch, bool is_list) const {
  std::string text;
  store.each_matching(
      *watch.kind,
      {.ns = watch.ns, .labels = watch.labels, .name = watch.name, .limit = 0, .token = {}},
      [&text](const std::string& object) { text += chunk_of(event_text("ADDED", object)); });
  if (is_list) text += chunk_of(bookmark(watch, true));
  return text;
}

std::string FakeApiServer::Impl::changes(Watch& watch) const {
  std::string text;
  store.changes_since(watch.version, [&](const FakeApiChange& change) {
    if (change.kind->kind != watch.kind->kind) return;
    if (!watch.ns.empty() && change.ns != watch.ns) return;
    if (!watch.name.empty() && change.name != watch.name) return;
    const bool is_in = change.object != nullptr && watch.labels.matches(change.labels);
    const bool was_in = change.before != nullptr && watch.labels.matches(change.labels_before);
    if (is_in) {
      text += chunk_of(event_text(was_in ? "MODIFIED" : "ADDED", *change.object));
    } else if (was_in) {
      const std::string& last = change.object != nullptr ? *change.object : *change.before;
      text += chunk_of(event_text("DELETED", with_version(last, change.version)));
    }
  });
  // Of a version that is not reached yet nothing is told, as by the real server (1.20).
  watch.version = std::max(watch.version, store.version());
  return text;
}

Awaitable<bool> FakeApiServer::Impl::watch(RawPeer& peer, const FakeApiPath& path,
                                           const FakeApiKind& kind, const FakeApiRequest& request) {
  const bool is_list = request.parameter("sendInitialEvents") == "true";
  bool sent = true;
  if (is_list && !options.has_watch_list) {
    const std::string refusal =
        raw(api_status(422, "Invalid", "resourceVersionMatch is forbidden for watch"), "");
    sent = co_await peer.send(refusal);
    co_return sent;
  }
  auto labels = kubernetes::Selector::parse(request.parameter("labelSelector"));
  const std::string from = request.parameter("resourceVersion");
  const std::string field = request.parameter("fieldSelector");
  Watch watch{.kind = &kind,
              .ns = path.ns,
              .name = field.starts_with("metadata.name=") ? field.substr(14) : std::string(),
              .labels = std::move(labels).value_or(kubernetes::Selector()),
              .version = number_of(from),
              .wants_bookmarks = request.parameter("allowWatchBookmarks") == "true"};
  std::string first = head_of(200, "Transfer-Encoding: chunked\r\n");
  if (watch.version == 0) {
    watch.version = store.version();
    first += initial_events(watch, is_list);
  } else if (watch.version < store.compacted()) {
    const auto gone = api_status(410, "Expired", "too old resource version: " + from);
    first += chunk_of(event_text("ERROR", gone.body)) + "0\r\n\r\n";
    sent = co_await peer.send(first);
    co_return sent;
  }
  sent = co_await peer.send(first);
  const auto seconds = std::max<std::uint64_t>(number_of(request.parameter("timeoutSeconds")), 1);
  const TimePoint end = sys::system_clock().now() + std::chrono::seconds(seconds);
  if (sent) sent = co_await follow(peer, std::move(watch), end);
  co_return sent;
}

Awaitable<bool> FakeApiServer::Impl::follow(RawPeer& peer, Watch watch, TimePoint end) {
  http::AsioTimer timer(io_);
  const auto open = open_;
  const auto alive = lifetime_.observe();
  const auto leave = [&open, &timer](void*) { open->waiting.erase(&timer); };
  const std::unique_ptr<void, decltype(leave)> guard(&timer, leave);
  open->waiting.insert(&timer);
  std::uint64_t bookmarks = bookmarks_;
  const std::uint64_t ends = ends_;
  for (;;) {
    if (watch.version < store.compacted()) co_return false;  // a client that reads too slowly
    std::string text = changes(watch);
    const bool is_over = sys::system_clock().now() >= end || ends != ends_;
    const bool is_asked = std::exchange(bookmarks, bookmarks_) != bookmarks_;
    if (watch.wants_bookmarks && watch.version <= store.version() && (is_asked || is_over)) {
      text += chunk_of(bookmark(watch, false));
    }
    if (is_over) text += "0\r\n\r\n";
    bool sent = true;
    if (!text.empty()) sent = co_await peer.send(text);
    if (!sent || is_over) co_return sent;
    if (watch.version < store.version() || bookmarks != bookmarks_ || ends != ends_) continue;
    timer.expires_at(http::to_steady(end));
    boost::system::error_code error;
    co_await timer.async_wait(http::awaiting(error));
    if (!alive || !peer.socket().is_open()) co_return false;
  }
}

FakeApiServer::FakeApiServer(http::net::io_context& io, FakeApiServerOptions options)
    : impl_(std::make_unique<Impl>(io, std::move(options))) {}
FakeApiServer::~FakeApiServer() = default;

const Endpoint& FakeApiServer::endpoint() const {
  return impl_->address;
}
std::string FakeApiServer::url() const {
  return "http://" + to_string(impl_->address);
}
FakeApiStore& FakeApiServer::store() {
  return impl_->store;
}
void FakeApiServer::fail(FakeApiFault fault) {
  impl_->faults.push_back(std::move(fault));
}
const std::vector<std::string>& FakeApiServer::requests() const {
  return impl_->requests;
}
std::size_t FakeApiServer::count(std::string_view part) const {
  return static_cast<std::size_t>(std::count_if(
      impl_->requests.begin(), impl_->requests.end(),
      [part](const std::string& one) { return one.find(part) != std::string::npos; }));
}
std::size_t FakeApiServer::watches() const {
  return impl_->watches();
}
std::size_t FakeApiServer::connections() const {
  return impl_->connections();
}
void FakeApiServer::set_page(std::string path, std::string type, std::string body) {
  impl_->pages[std::move(path)] = {.type = std::move(type), .body = std::move(body)};
}
void FakeApiServer::set_token(std::string token) {
  impl_->options.token = std::move(token);
}
void FakeApiServer::send_bookmarks() {
  impl_->send_bookmarks();
}
void FakeApiServer::end_watches() {
  impl_->end_watches();
}
void FakeApiServer::drop_connections() {
  impl_->drop_connections();
}
void FakeApiServer::stop() {
  impl_->stop();
}
void FakeApiServer::start() {
  impl_->listen(impl_->address);
}

}  // namespace bellows::test
