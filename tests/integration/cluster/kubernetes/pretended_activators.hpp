// Activators as far as paths see them: they listen at the ports of revisions and say whose each is.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "cluster/api.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "tests/support/fake_api_server.hpp"

namespace bellows::test {

/// The endpoints of Service bellows-system/bellows-activator, each at a loopback address of its
/// own. Every few milliseconds they listen at the ports that the cluster lists. Owner: the test.
/// Thread: the io thread.
class PretendedActivators {
 public:
  /// All outlive it.
  PretendedActivators(http::net::io_context& io, FakeApiServer& server,
                      const cluster::Cluster& cluster);

  void start();
  http::Awaitable<void> stop();

  /// Adds it, or changes it.
  void set(const std::string& name, bool is_ready, const std::string& zone = "zone-a");
  void remove(const std::string& name);
  /// It does not answer any more, or answers again.
  void hang(const std::string& name, bool on = true) { activators_[name].hangs = on; }
  /// How many probes it has answered.
  int answers(const std::string& name) const { return activators_.at(name).answers; }
  /// At how many ports it listens.
  int listening(const std::string& name) const {
    return static_cast<int>(activators_.at(name).servers.size());
  }
  std::string address(const std::string& name) const { return activators_.at(name).address; }

 private:
  struct One {
    std::string address;
    std::string zone;
    bool is_ready = false;
    bool hangs = false;
    int answers = 0;
    std::map<std::uint16_t, std::unique_ptr<http::ServiceServer>> servers;
  };

  http::Awaitable<void> run();
  void follow();
  void listen(One& activator, std::uint16_t port, const RevisionId& revision);
  void publish();

  http::net::io_context& io_;
  FakeApiServer& server_;
  const cluster::Cluster& cluster_;
  http::TaskGroup tasks_;
  std::map<std::string, One> activators_;
  int addresses_ = 0;
};

}  // namespace bellows::test
