#include "autoscaler/service/stat_endpoint.hpp"

#include <utility>

#include "http/io/task_group.hpp"

namespace bellows::autoscaler {
namespace {

constexpr Duration kListWait = std::chrono::milliseconds(20);

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
  const ActivatorStreams::Open open(activators_, PodName(socket->parameter(kActivatorParameter)));
  co_await receiver_.serve(std::move(socket));
}

}  // namespace bellows::autoscaler
