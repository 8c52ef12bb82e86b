// Sends the settings of a revision to its queue-proxies, on the connections of their stats.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "autoscaler/core/settings_orders.hpp"
#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "http/io/net.hpp"
#include "http/io/websocket.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// Owner: the service. Thread: the io thread.
class SettingsStreams {
 public:
  /// Both outlive it.
  SettingsStreams(const cluster::Cluster& cluster, const sys::Clock& clock);

  /// One connection. Its stats and answers pass through it; the server may destroy it after the
  /// streams.
  class Stream final : public metrics::StatSink {
   public:
    /// `inner` outlives it.
    Stream(SettingsStreams& streams, metrics::StatSink& inner, http::Executor io);
    ~Stream() override;
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    void accept(const metrics::Stat& stat) override { inner_.accept(stat); }
    void accept(const metrics::ScaleFromZeroTrigger& trigger) override { inner_.accept(trigger); }
    void answered(const metrics::SettingsTaken& taken) override;

    /// The stat was believed, so the connection is that of its replica.
    void believed(const metrics::Stat& stat);

    /// Writes orders until it is cancelled, or a write fails.
    http::Awaitable<void> write_orders(http::WebSocket& socket);

   private:
    friend class SettingsStreams;

    SettingsStreams& streams_;
    const Lifetime::Observer are_there_;
    metrics::StatSink& inner_;
    const SettingsOrders::Stream number_;
    http::AsioTimer work_;  // cancelled when an order is due
  };

  /// The cluster's list has changed; `all`: anything in it may have.
  void follow(const cluster::Changes& changes, bool all);

  /// See SettingsOrders::without_effect().
  std::vector<config::WithoutEffect> without_effect(const cluster::Revision& revision) const {
    return orders_.without_effect(revision.id, revision.settings, clock_.now());
  }
  const SettingsOrders& orders() const { return orders_; }

 private:
  void want(const RevisionId& id);

  const cluster::Cluster& cluster_;
  const sys::Clock& clock_;
  SettingsOrders orders_;
  std::map<SettingsOrders::Stream, Stream*> open_;
  SettingsOrders::Stream streams_ = 0;  // so far
  Lifetime lifetime_;
};

}  // namespace bellows::autoscaler
