#include "autoscaler/service/settings_streams.hpp"

#include <boost/asio/this_coro.hpp>
#include <string>

#include "base/sys/log.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::autoscaler {

SettingsStreams::SettingsStreams(const cluster::Cluster& cluster, const sys::Clock& clock)
    : cluster_(cluster), clock_(clock) {}

SettingsStreams::Stream::Stream(SettingsStreams& streams, metrics::StatSink& inner,
                                http::Executor io)
    : streams_(streams),
      are_there_(streams.lifetime_.observe()),
      inner_(inner),
      number_(++streams.streams_),
      work_(io, http::AsioTimer::time_point::max()) {
  streams_.open_.emplace(number_, this);
}

SettingsStreams::Stream::~Stream() {
  if (!are_there_) return;
  streams_.open_.erase(number_);
  streams_.orders_.ended(number_);
}

void SettingsStreams::Stream::answered(const metrics::SettingsTaken& taken) {
  streams_.orders_.answered(number_, taken);
}

void SettingsStreams::Stream::believed(const metrics::Stat& stat) {
  if (stat.source != metrics::StatSource::kReplica) return;
  if (streams_.orders_.is_of(number_, stat.revision, stat.pod)) work_.cancel();
}

http::Awaitable<void> SettingsStreams::Stream::write_orders(http::WebSocket& socket) {
  while (true) {
    while (const auto order = streams_.orders_.next(number_, streams_.clock_.now())) {
      const std::string bytes = metrics::encode(*order);
      const Result<void> sent = co_await socket.write(bytes);
      if (!sent) co_return;
    }
    boost::system::error_code always_cancelled;
    co_await work_.async_wait(http::awaiting(always_cancelled));
    const auto state = co_await http::net::this_coro::cancellation_state;
    if (state.cancelled() != http::net::cancellation_type::none) co_return;
  }
}

void SettingsStreams::follow(const cluster::Changes& changes, bool all) {
  if (all) {
    for (const cluster::RevisionPtr& revision : cluster_.revisions()) want(revision->id);
    return;
  }
  for (const auto* const ids : {&changes.added, &changes.changed, &changes.removed}) {
    for (const RevisionId& id : *ids) want(id);
  }
}

void SettingsStreams::want(const RevisionId& id) {
  const cluster::RevisionPtr revision = cluster_.revisions().find(id);
  if (!revision) return orders_.forget(id);
  const auto due = orders_.want(id, revision->proxy_settings);
  if (due.empty()) return;
  sys::log::info("sending settings", {{"service", revision->service_id().text()},
                                      {"revision", id.text()},
                                      {"queue_proxies", due.size()}});
  for (const SettingsOrders::Stream stream : due) open_.at(stream)->work_.cancel();
}

}  // namespace bellows::autoscaler
