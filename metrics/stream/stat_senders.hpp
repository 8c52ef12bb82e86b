// The client side of the stat stream to every autoscaler: one acts, the others stand by.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/endpoint.hpp"
#include "metrics/stream/connect.hpp"
#include "metrics/stream/stat_sender.hpp"

namespace bellows::metrics {

/// The senders' dependencies; tests replace them. Clock and random outlive the senders.
struct StatSendersWorld {
  /// Returns the autoscalers; more than one if the name has several addresses.
  std::function<http::Awaitable<Result<std::vector<Endpoint>>>()> find;
  std::function<http::Awaitable<Result<std::unique_ptr<http::WebSocket>>>(Endpoint)> connect;
  std::function<http::Awaitable<bool>(Duration)> sleep;
  const sys::Clock* clock = nullptr;
  Random* random = nullptr;
};

/// Returns the addresses of one host to which stats are sent: a name of the DNS has one for each
/// autoscaler, and only those of the first one's family count, because a pod may have an address
/// of each. Every other host (a literal, "localhost", a Unix path) is its only one.
http::Awaitable<Result<std::vector<Endpoint>>> find_autoscalers(Endpoint endpoint);

/// Returns the world of a program: target.endpoint names the autoscalers. Clock and random outlive
/// the senders.
StatSendersWorld world_to(StatTarget target, const sys::Clock& clock, Random& random);

/// A StatSink with a StatSender for each address, all with the same stats. It looks for addresses
/// at the start, when a connection is lost, and every 30 s. A new address gets the stats that are
/// kept (StatSenderOptions::replay_window). A sender whose address is not found any more ends once
/// its connection is lost. Owner: the service whose stats they are. Thread: the io thread.
class StatSenders final : public StatSink {
 public:
  StatSenders(http::net::io_context& io, StatSendersWorld world, StatSenderOptions options = {},
              StatSenderCallbacks callbacks = {});
  ~StatSenders() override;
  StatSenders(const StatSenders&) = delete;
  StatSenders& operator=(const StatSenders&) = delete;

  /// Starts to look for addresses. Call it once.
  void start();

  void accept(const Stat& stat) override;
  void accept(const ScaleFromZeroTrigger& trigger) override;

  /// Sets StatSenderOptions::replay_window.
  void keep(Duration window);

  /// Returns true if one of them is connected.
  bool connected() const;
  /// Returns the sums of all senders that there were.
  StatSenderCounters counters() const;

  /// Does as StatSender::stop() with all of them.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  struct Peer {
    std::unique_ptr<StatSender> sender;
    bool is_found = true;
    bool is_ending = false;
  };

  http::Awaitable<void> follow();
  void use(const std::vector<Endpoint>& found);
  void add(const Endpoint& endpoint);
  http::Awaitable<void> remove(std::string address);
  void changed(bool is_connected);
  bool all_connected() const;
  void log_failure(const Error& error);

  http::net::io_context& io_;
  StatSendersWorld world_;
  StatSenderOptions options_;
  StatSenderCallbacks callbacks_;
  SourceHistory kept_;                 // what a new address gets, while there is no other
  std::map<std::string, Peer> peers_;  // by address
  StatSenderCounters ended_;           // of senders that have ended
  http::AsioTimer look_;               // cancelled when a connection is lost
  bool was_connected_ = false;
  bool is_failure_logged_ = false;
  http::TaskGroup tasks_;
};

}  // namespace bellows::metrics
