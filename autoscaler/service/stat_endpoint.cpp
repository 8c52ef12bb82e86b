#include "autoscaler/service/stat_endpoint.hpp"

#include <utility>

#include "http/io/task_group.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kListWait = std::chrono::milliseconds(20);
/// New requests stop going to an activator that hangs as soon as to one that was killed. Three
/// pongs are missing by then, or two retransmissions of TCP failed. A false alarm costs a few
/// writes: the other activators are in the path before, and it comes back once it answers.
constexpr Duration kActivatorPing = std::chrono::milliseconds(250);
constexpr Duration kActivatorDead = std::chrono::seconds(1);

}  // namespace

StatEndpoint::StatEndpoint(metrics::StatSink& sink, const cluster::Cluster& cluster,
                           ActivatorStreams& activators)
    : cluster_(cluster), activators_(activators), receiver_(sink) {}

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
  const PodName activator(socket->parameter(kActivatorParameter));
  if (!activator.empty()) socket->set_liveness(kActivatorPing, kActivatorDead);
  const ActivatorStreams::Open open(activators_, activator);
  co_await receiver_.serve(std::move(socket));
}

}  // namespace bellows::autoscaler
