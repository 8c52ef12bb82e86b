// An activator with real sockets in this process, its callers and replicas, a cluster that lists
// what the test sets, and time that the test moves.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "activator/service/activator_service.hpp"
#include "cluster/api.hpp"
#include "http/io/net.hpp"
#include "http/io/reactor.hpp"
#include "metrics/prometheus/instruments.hpp"
#include "metrics/stat.hpp"
#include "proxy/io/access_log.hpp"
#include "proxy/io/proxy_server.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::activator {

inline const Endpoint kAnyPort{.host = "127.0.0.1", .port = 0, .unix_path = {}};
inline const std::string kGet = "GET /a HTTP/1.1\r\nHost: public.example\r\n\r\n";

/// Records the stats and triggers for the autoscaler.
class RecordingSink final : public metrics::StatSink {
 public:
  void accept(const metrics::Stat& stat) override { stats.push_back(stat); }
  void accept(const metrics::ScaleFromZeroTrigger& trigger) override {
    triggers.push_back(trigger);
  }

  std::vector<metrics::Stat> stats;
  std::vector<metrics::ScaleFromZeroTrigger> triggers;
};

/// Lists the revisions that the test sets; records orders.
class ListedCluster final : public cluster::Cluster {
 public:
  const cluster::RevisionList& revisions() const override { return list_; }
  bool ready() const override { return is_ready; }
  std::optional<TimePoint> unreachable_since() const override { return std::nullopt; }
  std::unique_ptr<cluster::Subscription> subscribe(OnChange on_change) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, cluster::ScaleOrder order) override;
  http::Awaitable<Result<void>> set_state(RevisionId revision,
                                          cluster::RevisionState state) override;
  void report(RevisionId revision, cluster::Report report) override;

  /// Lists `truth`.
  void publish();

  std::vector<cluster::Revision> truth;
  std::vector<cluster::ScaleOrder> orders;
  bool takes_orders = true;
  bool is_ready = true;

 private:
  cluster::RevisionList list_;
  OnChange on_change_;
};

/// A replica's queue-proxy: responds "NAME PATH", at once or when released.
class Replica final : public proxy::RequestHandler {
 public:
  Replica(http::Reactor& reactor, std::string name);

  http::Task<void> handle(proxy::Exchange& exchange) override;

  cluster::Replica listed() const;  ///< as the cluster shows it: ready
  const Endpoint& address() const { return address_; }
  void hold() { is_holding_ = true; }
  void release();
  void lose_app() {
    has_app_ = false;
  }  ///< rejects requests, as a queue-proxy without its app does
  /// Sends a local reply, as a queue-proxy does when its app resets or sends no HTTP.
  void fail_app(int status, std::string reason) { failing_ = {status, std::move(reason)}; }
  /// The app closes the connection on these; idempotent ones may be retried elsewhere.
  void drop_requests_to(std::string path) { dropped_path_ = std::move(path); }
  void find_app() {
    has_app_ = true;
    failing_ = {};
  }
  /// Other callers have its slots: it refuses what may not wait for long.
  void fill(bool is_full = true) { is_full_ = is_full; }
  /// The load and the time in the queue that it reports with each response.
  void say(std::string lines) { said_ = std::move(lines); }
  /// Its connections are reset, its port refuses.
  void kill() {
    server_.reset();
    refusing_.emplace(test::loopback(address_.port), test::TestListener::kNotYet);
  }

  std::vector<std::string> paths;  ///< of the requests, in the order they came
  std::vector<std::string> heads;  ///< internal header lines that came with them
  int probes = 0;
  int running = 0;
  int max_running = 0;

 private:
  http::Reactor& reactor_;
  std::string name_;
  std::unique_ptr<proxy::ProxyServer> server_;
  std::optional<test::TestListener> refusing_;  // once it is killed: nobody else gets its port
  Endpoint address_;
  bool is_holding_ = false;
  bool has_app_ = true;
  bool is_full_ = false;
  struct {
    int status = 0;  // 0: none
    std::string reason;
  } failing_;
  std::string dropped_path_;
  std::string said_;
  std::vector<http::Waiter*> held_;
};

/// One connection with one request.
class Caller {
 public:
  Caller(http::net::io_context& io, Endpoint activator, std::string request);

  void hang_up();
  bool is_done() const { return is_done_; }
  int status() const;  ///< 0: none came
  const std::string& answer() const { return answer_; }
  std::string body() const;

 private:
  http::Awaitable<void> call(Endpoint activator, std::string request);

  http::TcpSocket socket_;
  std::string answer_;
  bool is_done_ = false;
};

/// The workers of an activator whose test does not say: $BELLOWS_TEST_WORKERS, else one. What holds
/// with one holds with several.
std::size_t tested_workers();

/// What the parts of an activator depend on.
struct ActivatorFixture {
  http::net::io_context io;
  test::ManualClock clock;
  http::Reactor reactor{io, clock};
  ListedCluster cluster;
  RecordingSink sink;
  metrics::prometheus::Registry registry{"test"};
};

class ActivatorWorld : public ActivatorFixture {
 public:
  explicit ActivatorWorld(bool is_autoscaler_connected = true,
                          config::AccessLogSettings access_log = {}, bool probes_starts = false,
                          std::size_t workers = tested_workers());
  ~ActivatorWorld();

  /// The only revision at first: "web", any host, no replicas.
  cluster::Revision& web() { return cluster.truth.front(); }
  Replica& add_replica(const std::string& name);
  void list(Replica& replica);
  void unlist(const std::string& name);
  /// A replica as the cluster lists it before it calls it ready: its address is known.
  void list_starting(Replica& replica);

  Caller& get(const std::string& path, const std::string& lines = "Host: web.example\r\n");
  Caller& post(const std::string& path);
  /// A connection to this port of the activator that has sent `bytes`.
  test::TestPeer connect(std::uint16_t port, const std::string& bytes);
  /// What the peer has received once that has `text` in it; empty: the connection ended before.
  std::string hears(test::TestPeer& peer, const std::string& text);
  bool hears_end(test::TestPeer& peer);
  /// Runs until `condition` is true; the test fails if that takes a minute.
  void until(const std::function<bool()>& condition);
  void until_done(const Caller& caller);
  /// Time passes meanwhile.
  void until_done_in_time(const Caller& caller);
  void until_in_time(const std::function<bool()>& condition);
  void until_waiting(std::int64_t count);
  void pass(Duration duration);
  /// Each loop hands over the lines that it has, as it does within 100 ms, and they are written.
  void write_logs();
  /// Until there are this many lines. Time passes meanwhile.
  void until_logged(std::size_t lines);
  void stop_service(Duration timeout);

  std::int64_t waiting() const;
  std::int64_t in_flight() const;

  std::string logged;  ///< by the access log, if it is on
  std::size_t log_room = std::numeric_limits<std::size_t>::max();  ///< what its reader takes
  int log_error = 0;                                               ///< beyond that; 0: it is slow
  std::vector<std::unique_ptr<Replica>> replicas;
  std::unique_ptr<proxy::AccessLog> access_log;
  std::unique_ptr<ActivatorService> service;

 private:
  void list(cluster::Replica replica);
  void settle();

  Endpoint address_;
  std::vector<std::unique_ptr<Caller>> callers_;
  bool is_stopped_ = false;
};

}  // namespace bellows::activator
