// Senders with tokens: who is heard, and what happens when a token runs out.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "autoscaler/service/activator_streams.hpp"
#include "autoscaler/service/settings_streams.hpp"
#include "autoscaler/service/stat_endpoint.hpp"
#include "http/io/service_server.hpp"
#include "metrics/stream/connect.hpp"
#include "metrics/stream/stat_sender.hpp"
#include "tests/support/kept_stats.hpp"
#include "tests/support/listed_cluster.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::autoscaler {
namespace {

using namespace std::chrono_literals;

/// Knows each token's owner.
class KnownTokens final : public cluster::SenderTokens {
 public:
  http::Awaitable<Result<cluster::TokenSender>> verify(std::string token) override {
    verified.push_back(token);
    const auto known = owners.find(token);
    if (known != owners.end()) {
      cluster::TokenSender sender = known->second;
      sender.expires = sys::system_clock().now() + life[token];
      co_return sender;
    }
    co_return fail(ErrorKind::kMalformed, "token signature", "is not that of its key");
  }

  std::map<std::string, cluster::TokenSender> owners;
  std::map<std::string, Duration> life;  // of each connection
  std::vector<std::string> verified;
};

class StatTokensTest : public ::testing::Test {
 protected:
  StatTokensTest() {
    cluster.set_listed(RevisionId("shop/web"), {"web-1", "web-2"});
    cluster.use_tokens(tokens);
    endpoint.add_routes(server);
    address = server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
    give("of-web-1", "web-1", 1h);
  }
  ~StatTokensTest() override {
    const auto end = [this]() -> http::Awaitable<void> {
      const TimePoint deadline = sys::system_clock().now() + 5s;
      if (sender) co_await sender->stop(deadline);
      co_await server.stop(deadline);
    };
    bellows::test::run_task<void>(io, end);
  }

  void give(const std::string& token, const std::string& pod, Duration life,
            bool is_activator = false) {
    tokens.owners[token] = {.ns = "shop",
                            .pod = PodName(pod),
                            .uid = "uid of " + pod,
                            .is_activator = is_activator,
                            .expires = {}};
    tokens.life[token] = life;
  }
  void write_token(const std::string& token) { std::ofstream(file) << token << "\n"; }

  metrics::StatTarget target(std::string path = kStatPath) const {
    return {.endpoint = address, .path = std::move(path), .secret = {}, .token_file = file};
  }
  void start_sender() {
    metrics::StatSenderWorld world{
        .connect = [this] { return metrics::connect_for_stats(target()); },
        .sleep = http::sleep_for,
        .clock = &sys::system_clock(),
        .random = &random};
    sender = std::make_unique<metrics::StatSender>(io, std::move(world));
    sender->start();
  }
  void send_stat(const std::string& name) {
    metrics::Stat stat;
    stat.revision = RevisionId("shop/web");
    stat.pod = PodName(name);
    stat.boot = 1;
    stat.sequence = ++sequence;
    sender->accept(stat);
  }
  bool until(const std::function<bool()>& is_true) { return bellows::test::run_until(io, is_true); }
  /// What the server says when it closes a connection with this token.
  std::string closed_because(const std::string& token, const std::string& path) {
    write_token(token);
    const auto ask = [&]() -> http::Awaitable<std::string> {
      auto socket = co_await metrics::connect_for_stats(target(path));
      if (!socket) co_return to_string(socket.error());
      const auto read = co_await (*socket)->read();
      co_return read ? "a message" : to_string(read.error());
    };
    return bellows::test::run_task<std::string>(io, ask);
  }

  http::net::io_context io;
  SeededRandom random{1};
  const bellows::test::TemporaryFolder folder;
  const std::string file = folder.path("token");
  KnownTokens tokens;
  bellows::test::ListedCluster cluster{io};
  bellows::test::KeptStats kept;
  StatGuard guard{kept, cluster, sys::system_clock(), 3s};
  ActivatorStreams activators{[] {}};
  SettingsStreams settings{cluster, sys::system_clock()};
  StatEndpoint endpoint{guard, cluster, activators, settings};
  http::ServiceServer server{io};
  Endpoint address;
  std::unique_ptr<metrics::StatSender> sender;
  std::uint64_t sequence = 0;
};

TEST_F(StatTokensTest, APodIsHeardAboutItselfOnly) {
  write_token("of-web-1");
  start_sender();
  send_stat("web-1");
  send_stat("web-2");
  send_stat("web-1");
  EXPECT_TRUE(until([&] { return kept.stats.size() == 2 && guard.refused() == 1; }));
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 1U);
  for (const auto& each : kept.stats) EXPECT_EQ(each.pod, PodName("web-1"));
}

TEST_F(StatTokensTest, WithoutAValidTokenAConnectionIsClosedWithTheReason) {
  EXPECT_NE(closed_because("forged", kStatPath).find("token signature"), std::string::npos);
  EXPECT_EQ(guard.refused(Refusal::kToken), 1U);
  EXPECT_NE(closed_because("of-web-1", std::string(kStatPath) + "?activator=web-1")
                .find("not that of the activator"),
            std::string::npos);
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 1U);
  EXPECT_NE(closed_because("two words", kStatPath).find("stats-token-file"), std::string::npos);
  EXPECT_TRUE(kept.stats.empty());
}

TEST_F(StatTokensTest, AnActivatorIsHeardUnderItsOwnName) {
  give("of-a", "activator-a", 1h, true);
  EXPECT_NE(closed_because("of-a", std::string(kStatPath) + "?activator=activator-b")
                .find("not that of the activator"),
            std::string::npos);
  EXPECT_NE(closed_because("of-a", kStatPath).find("not that of the activator"), std::string::npos);
  EXPECT_EQ(guard.refused(Refusal::kOtherPod), 2U);
}

/// The kubelet has replaced the file long before.
TEST_F(StatTokensTest, ASenderWhoseTokenRunsOutReturnsWithTheNextAndReplays) {
  give("old", "web-1", 50ms);
  write_token("old");
  start_sender();
  send_stat("web-1");
  EXPECT_TRUE(until([&] { return !kept.stats.empty(); }));
  write_token("of-web-1");
  EXPECT_TRUE(until([&] { return tokens.verified.back() == "of-web-1"; }));
  const std::size_t before = kept.stats.size();
  EXPECT_TRUE(until([&] { return kept.stats.size() > before; }))
      << "what the autoscaler may have missed is sent again";
  EXPECT_EQ(kept.stats.back().sequence, kept.stats.front().sequence);
  EXPECT_EQ(guard.refused(), 0U);
}

}  // namespace
}  // namespace bellows::autoscaler
