#include "autoscaler/service/stat_endpoint.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <utility>

#include "http/io/task_group.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kListWait = std::chrono::milliseconds(20);
/// A hanging activator leaves the paths as soon as a killed one. Three pongs are missing by then,
/// or two retransmissions of TCP have failed. A false alarm costs a few writes: the other
/// activators join the path first, and it rejoins once it answers.
constexpr Duration kActivatorPing = std::chrono::milliseconds(250);
constexpr Duration kActivatorDead = std::chrono::seconds(1);

}  // namespace

StatEndpoint::StatEndpoint(StatGuard& guard, const cluster::Cluster& cluster,
                           ActivatorStreams& activators, SettingsStreams& settings)
    : guard_(guard), cluster_(cluster), activators_(activators), settings_(settings) {}

void StatEndpoint::add_routes(http::ServiceServer& server) {
  server.websocket(kStatPath, [this](std::unique_ptr<http::WebSocket> socket) {
    return serve(std::move(socket));
  });
}

http::Awaitable<void> StatEndpoint::serve(std::unique_ptr<http::WebSocket> socket) {
  while (!cluster_.ready()) {
    const bool has_slept = co_await http::sleep_for(kListWait);
    if (!has_slept) co_return;
  }
  if (cluster::SenderTokens* const tokens = cluster_.sender_tokens()) {
    co_await serve_with_token(*socket, *tokens);
    co_return;
  }
  const auto identity = co_await identify(*socket);
  if (identity) {
    co_await serve_as(*socket, *identity);
  } else {
    co_await refuse(*socket, Refusal::kSecret, "the secret is missing or unknown");
  }
}

http::Awaitable<void> StatEndpoint::refuse(http::WebSocket& socket, Refusal why,
                                           std::string detail) {
  guard_.refuse(why, socket.peer(), "", detail);
  co_await socket.close(detail);
}

http::Awaitable<void> StatEndpoint::serve_with_token(http::WebSocket& socket,
                                                     cluster::SenderTokens& tokens) {
  using namespace http::net::experimental::awaitable_operators;  // |: the first to end ends both
  std::string token = socket.bearer();
  const auto sender = co_await tokens.verify(std::move(token));
  if (!sender) {
    co_await refuse(socket, Refusal::kToken, to_string(sender.error()));
    co_return;
  }
  const std::string name = socket.parameter(kActivatorParameter);
  const std::string own_name = sender->is_activator ? sender->pod.text() : "";
  if (name != own_name) {
    co_await refuse(socket, Refusal::kOtherPod, "the token is not that of the activator it names");
    co_return;
  }
  const auto end_with_token = [&]() -> http::Awaitable<void> {
    const bool is_over = co_await http::sleep_until(sender->expires);
    if (is_over) co_await socket.close("the token has run out; connect with the next one");
  };
  co_await (serve_as(socket, identity_of(*sender)) || end_with_token());
}

http::Awaitable<void> StatEndpoint::serve_as(http::WebSocket& socket, SenderIdentity identity) {
  const PodName activator(socket.parameter(kActivatorParameter));
  if (identity.kind == SenderIdentity::Kind::kReplica) {
    const auto sink = guard_.connection(std::move(identity), socket.peer());
    co_await receiver_.serve(socket, *sink);
  } else if (activator.empty()) {
    co_await serve_replica(socket, std::move(identity));
  } else {
    co_await serve_activator(socket, activator, std::move(identity));
  }
}

http::Awaitable<void> StatEndpoint::serve_activator(http::WebSocket& socket, const PodName& name,
                                                    SenderIdentity identity) {
  socket.set_liveness(kActivatorPing, kActivatorDead);
  // If the cluster lists activators, each path has their shares.
  const bool knows_share = !cluster_.activators().empty();
  const ActivatorStreams::Open open(activators_, name, knows_share);
  const auto sink = guard_.connection(std::move(identity), socket.peer());
  co_await receiver_.serve(socket, *sink);
}

http::Awaitable<void> StatEndpoint::serve_replica(http::WebSocket& socket,
                                                  SenderIdentity identity) {
  using namespace http::net::experimental::awaitable_operators;  // |: the first to end ends both
  const auto io = co_await http::net::this_coro::executor;
  SettingsStreams::Stream* settings = nullptr;
  const auto sink = guard_.connection(std::move(identity), socket.peer(),
                                      [&](const metrics::Stat& stat) { settings->believed(stat); });
  SettingsStreams::Stream stream(settings_, *sink, io);
  settings = &stream;
  co_await (receiver_.serve(socket, stream) || stream.write_orders(socket));
}

http::Awaitable<std::optional<SenderIdentity>> StatEndpoint::identify(http::WebSocket& socket) {
  const std::string secret = socket.bearer();
  std::optional<SenderIdentity> identity = guard_.identify(secret);
  if (identity || secret.empty() || unknown_ >= kUnknown) co_return identity;
  ++unknown_;
  for (Duration waited{}; !identity && waited < kSecretWait; waited += kListWait) {
    const bool has_slept = co_await http::sleep_for(kListWait);
    if (!has_slept) break;
    identity = guard_.identify(secret);
  }
  --unknown_;
  co_return identity;
}

}  // namespace bellows::autoscaler
