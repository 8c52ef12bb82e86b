#include "autoscaler/service/stat_endpoint.hpp"

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
                           ActivatorStreams& activators)
    : guard_(guard), cluster_(cluster), activators_(activators) {}

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
  const auto identity = co_await identify(*socket);
  if (!identity) {
    guard_.refuse(Refusal::kSecret, socket->peer(), "");
    co_await socket->close("the secret is missing or unknown");
    co_return;
  }
  const auto sink = guard_.connection(*identity, socket->peer());
  if (identity->kind == SenderIdentity::Kind::kReplica) {
    co_return co_await receiver_.serve(std::move(socket), *sink);
  }
  const PodName activator(socket->parameter(kActivatorParameter));
  if (!activator.empty()) socket->set_liveness(kActivatorPing, kActivatorDead);
  // If the cluster lists activators, each path has their shares.
  const bool knows_share = !cluster_.activators().empty();
  const ActivatorStreams::Open open(activators_, activator, knows_share);
  co_await receiver_.serve(std::move(socket), *sink);
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
