#include "cluster/local/local_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "tests/integration/cluster/rigs.hpp"
#include "tests/support/few_descriptors.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::LocalCluster;
using cluster::Replica;
using cluster::ReplicaPhase;
using cluster::ShutdownStage;
using testing::Contains;
using testing::HasSubstr;

const RevisionId kWeb("web");
std::vector<std::string> log_lines;  // NOLINT: filled by the sink, which is a plain function

class LocalClusterTest : public testing::Test {
 protected:
  LocalClusterTest() {
    log_lines.clear();
    sys::log::set_sink([](std::string_view line) { log_lines.emplace_back(line); });
  }
  ~LocalClusterTest() override {
    if (cluster_ && cluster_->shutdown_stage() == ShutdownStage::kServing) shut_down(5s);
    sys::log::set_sink(nullptr);
  }

  void serve(const config::Service& service) {
    auto made = LocalCluster::create(io_, sys::system_clock(), random_, {service}, options_);
    ASSERT_TRUE(made.has_value()) << to_string(made.error());
    cluster_ = std::move(*made);
  }
  std::string refusal(std::vector<config::Service> services) {
    const auto made = LocalCluster::create(io_, sys::system_clock(), random_,
                                           {services.begin(), services.end()}, options_);
    return made ? "accepted" : to_string(made.error());
  }
  Result<void> scale(PodCount want) {
    return run_task<Result<void>>(io_, [&] { return cluster_->scale(kWeb, {want, {}, "test"}); });
  }
  void shut_down(Duration timeout) {
    run_task<void>(io_, [&] { return cluster_->shut_down(sys::system_clock().now() + timeout); });
  }
  const cluster::Revision& web() {
    held_ = cluster_->revisions().find(kWeb);
    return *held_;
  }
  const Replica& first() { return *web().replicas.at(0); }
  bool wait_for(const std::function<bool()>& is_true) { return run_until(io_, is_true); }
  bool wait_for_ready(PodCount count) {
    return wait_for([&] { return web().count(ReplicaPhase::kReady) == count; });
  }
  bool wait_for_line(const std::string& part) {
    return wait_for([&] {
      return std::ranges::any_of(
          log_lines, [&](const std::string& line) { return line.find(part) != line.npos; });
    });
  }
  /// The number after "web-1 | WORD ".
  pid_t pid_in_log(const std::string& word) {
    const std::string mark = "web-1 | " + word + " ";
    EXPECT_TRUE(wait_for_line(mark));
    for (const std::string& line : log_lines) {
      const std::size_t at = line.find(mark);
      if (at != line.npos) return std::atoi(line.c_str() + at + mark.size());
    }
    return 0;
  }
  http::net::ip::tcp::socket connect_to(const Endpoint& address) {
    http::net::ip::tcp::socket socket(io_);
    socket.connect({http::net::ip::make_address(address.host), address.port});
    return socket;
  }

  http::net::io_context io_;
  SeededRandom random_{1};
  cluster::LocalClusterOptions options_ = stub_options();
  std::unique_ptr<LocalCluster> cluster_;
  cluster::RevisionPtr held_;
};

TEST_F(LocalClusterTest, LogsTheOutputOfTheAppWithTheNameOfItsReplica) {
  serve(web_service({TEST_APP, "say", "port is ${PORT}", "show", "PORT", "listen", "$PORT",
                     "complain", "warming up", "wait"}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(wait_for_line("web-1 | warming up"));
  const std::string log = testing::PrintToString(log_lines);
  EXPECT_THAT(log, HasSubstr("replica starting  service=web  revision=web  replica=web-1"));
  EXPECT_THAT(log, HasSubstr("replica ready  service=web  revision=web  replica=web-1  took="));
  EXPECT_THAT(log, HasSubstr("web-1 | port is 2"));
  EXPECT_THAT(log, HasSubstr("web-1 | PORT=2"));
  EXPECT_THAT(log, HasSubstr("web-1 queue-proxy | stub listens"));
}

TEST_F(LocalClusterTest, AppThatCrashesAtOnceRestartsAndItsLastLinesAreReported) {
  serve(web_service(
      {TEST_APP, "complain", "reading settings", "complain", "no database", "exit", "3"}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for([&] { return !web().failure_message.empty(); }));
  EXPECT_EQ(first().restarts, 2);
  EXPECT_EQ(first().failure_message, "web-1: the app exited with code 3, last line: no database");
  EXPECT_EQ(web().failure_message, first().failure_message);
  EXPECT_THAT(log_lines,
              Contains(HasSubstr(
                  "app crashed  service=web  revision=web  replica=web-1  how=\"exited with code "
                  "3\"  last_lines=\"reading settings / no database\"")));
}

TEST_F(LocalClusterTest, ARevisionIsAddedBesideAnotherAndKnowsItsServiceAndItsName) {
  serve(listening_service());
  config::Service second =
      web_service({TEST_APP, "show", "K_SERVICE", "show", "K_REVISION", "listen", "$PORT", "wait"});
  second.name = RevisionId("web-00002");
  second.of = kWeb;
  second.share = 0;
  const auto added = cluster_->add(second);
  ASSERT_TRUE(added.has_value()) << to_string(added.error());
  EXPECT_EQ(to_string(cluster_->add(second).error()), "revision web-00002: is listed already");
  const RevisionId id = second.name;
  ASSERT_TRUE(run_task<Result<void>>(io_, [&] { return cluster_->scale(id, {1, {}, "test"}); }));
  ASSERT_TRUE(
      wait_for([&] { return cluster_->revisions().find(id)->count(ReplicaPhase::kReady) == 1; }));
  EXPECT_TRUE(wait_for_line("web-00002-1 | K_SERVICE=web"));
  EXPECT_TRUE(wait_for_line("web-00002-1 | K_REVISION=web-00002"));
  EXPECT_EQ(cluster_->revisions().find(id)->share, 0);
  ASSERT_TRUE(cluster_->place(id, {.host = "new.example", .path_prefix = {}}, 70));
  EXPECT_EQ(cluster_->revisions().find(id)->share, 70);
  EXPECT_EQ(cluster_->revisions().find(id)->route.host, "new.example");
}

TEST_F(LocalClusterTest, ARevisionThatWasAtZeroStartsWithTheSettingsOfNow) {
  serve(listening_service());
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(scale(0));
  ASSERT_TRUE(wait_for([&] { return web().replicas.empty(); }));
  config::RevisionSettings settings = listening_service().settings;
  settings.container_concurrency = 3;
  ASSERT_TRUE(cluster_->configure(kWeb, settings));
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  EXPECT_EQ(web().settings.container_concurrency, 3);
  settings.container_concurrency = 5;
  ASSERT_TRUE(cluster_->configure(kWeb, settings));
  EXPECT_EQ(web().settings.container_concurrency, 3) << "its replica was started with 3";
}

TEST_F(LocalClusterTest, AnEnvironmentFileIsReadWhenItsRevisionIsAdded) {
  const TemporaryFolder folder;
  const std::string file = folder.path("web.env");
  ASSERT_TRUE(std::ofstream(file) << "GREETING=hello\n");
  config::Service service = web_service({TEST_APP, "show", "GREETING", "listen", "$PORT", "wait"});
  service.environment_file = file;
  serve(service);
  std::filesystem::remove(file);
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  EXPECT_TRUE(wait_for_line("web-1 | GREETING=hello"));
  ASSERT_TRUE(scale(0));
  ASSERT_TRUE(wait_for([&] { return web().replicas.empty(); }));
  ASSERT_TRUE(scale(1));
  EXPECT_TRUE(wait_for_line("web-2 | GREETING=hello"));
}

TEST_F(LocalClusterTest, ARemovedRevisionIsNoLongerListedAndItsReplicasDrain) {
  serve(listening_service());
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(cluster_->remove(kWeb));
  EXPECT_EQ(cluster_->revisions().find(kWeb), nullptr);
  EXPECT_EQ(scale(1).error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(to_string(cluster_->remove(kWeb).error()), "revision web: there is none");
  const auto again = cluster_->add(listening_service());
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  EXPECT_EQ(first().name.text(), "web-2") << "a name is never used twice";
  EXPECT_TRUE(wait_for_line("replica drained  service=web  revision=web  replica=web-1"));
}

TEST_F(LocalClusterTest, AShutDownWaitsForTheReplicasOfARemovedRevision) {
  serve(listening_service());
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(cluster_->remove(kWeb));
  shut_down(5s);
  EXPECT_TRUE(wait_for_line("replica drained  service=web  revision=web  replica=web-1"));
  EXPECT_EQ(cluster_->shutdown_stage(), ShutdownStage::kStopped);
}

TEST_F(LocalClusterTest, LastLinesAreThoseOfTheNewestReplicaWithOutput) {
  serve(web_service({TEST_APP, "complain", "one", "complain", "two", "listen", "$PORT", "wait"}));
  EXPECT_TRUE(cluster_->last_lines(kWeb).empty());
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for([&] {
    return cluster_->last_lines(kWeb) == std::vector<std::string>{"one", "two"};
  }));
  EXPECT_TRUE(cluster_->last_lines(RevisionId("shop")).empty());
}

TEST_F(LocalClusterTest, CrashedAppRestartsWithTheSameQueueProxy) {
  serve(web_service({"/bin/sh", "-c", "echo app $$; exec " TEST_APP " listen $PORT wait"}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  const Endpoint address = first().address;
  ::kill(pid_in_log("app"), SIGSEGV);
  ASSERT_TRUE(wait_for([&] { return first().phase == ReplicaPhase::kFailed; }));
  EXPECT_EQ(first().failure_message, "web-1: the app was killed by SIGSEGV");
  EXPECT_EQ(web().failure_message, "");
  ASSERT_TRUE(wait_for_ready(1));
  EXPECT_EQ(first().restarts, 1);
  EXPECT_EQ(first().address, address);
  EXPECT_EQ(first().failure_message, "");
  EXPECT_EQ(web().failure_message, "");
}

TEST_F(LocalClusterTest, AppThatNeverListensIsReportedWithItsPort) {
  config::Service service = web_service({TEST_APP, "wait"});
  service.settings.progress_deadline = 3s;  // its queue-proxy must listen by then
  serve(service);
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for([&] { return !web().failure_message.empty(); }));
  EXPECT_THAT(web().failure_message,
              testing::MatchesRegex(
                  "web-1: nothing listens on 127\\.0\\.0\\.1:[0-9]+ after 3\\.00s; \\$PORT "
                  "has the port of the app"));
  EXPECT_EQ(first().phase, ReplicaPhase::kFailed);
  EXPECT_THAT(log_lines, Contains(HasSubstr("replica not ready")));
}

TEST_F(LocalClusterTest, ProgramWithABadInterpreterIsAFailure) {
  const TemporaryFolder folder;
  const std::string script = folder.path("app");
  ASSERT_EQ(
      std::system(
          ("printf '#!/no/such/interpreter' > " + script + " && chmod 755 " + script).c_str()),
      0);
  serve(web_service({script}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for([&] { return !web().failure_message.empty(); }));
  EXPECT_THAT(web().failure_message,
              HasSubstr("web-1: the app cannot be started: " + script +
                        ": no such interpreter: \"/no/such/interpreter\", in its #! line"));
}

TEST_F(LocalClusterTest, ProblemsInACommandAreReportedBeforeAnyStart) {
  EXPECT_EQ(refusal({web_service({"nonexistent"})}), "nonexistent: no such program in PATH");
  EXPECT_EQ(refusal({web_service({"/etc/passwd"})}), "/etc/passwd: not executable");
  EXPECT_EQ(refusal({web_service({})}), "service web: has no command to run");
  EXPECT_EQ(refusal({listening_service(), listening_service()}), "revision web: is listed twice");
  config::Service nowhere = listening_service();
  nowhere.working_directory = "/no/such/folder";
  EXPECT_EQ(refusal({nowhere}),
            "service web: working-directory: \"/no/such/folder\": there is no such folder; want a "
            "folder in which the app can start");
  options_.shim = "/no/such/shim";
  EXPECT_EQ(refusal({listening_service()}), "/no/such/shim: no such program");
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST_F(LocalClusterTest, AReplicaTakesTheDescriptorsThatAreCounted) {
  serve(listening_service());
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  const std::ptrdiff_t before = open_descriptors();
  ASSERT_TRUE(scale(4).has_value());
  ASSERT_TRUE(wait_for_ready(4));
  // The stub has no connection for stats.
  constexpr auto kEach = static_cast<std::ptrdiff_t>(cluster::kDescriptorsPerReplica) - 1;
  EXPECT_EQ(open_descriptors() - before, 3 * kEach);
}

TEST_F(LocalClusterTest, MoreReplicasThanDescriptorsAreRefused) {
  const FewDescriptors low(1024);
  config::Service service = listening_service();
  service.settings.max_scale = 57;
  EXPECT_THAT(refusal({service}), HasSubstr("service web: max-scale 57 needs 1029 open files"));
  service.settings.max_scale = 56;
  serve(service);
  ASSERT_NE(cluster_, nullptr);
  EXPECT_TRUE(cluster_->check_fit({{.service = kWeb, .min_scale = 56, .max_scale = 56}}));
  EXPECT_FALSE(cluster_->check_fit({{.service = kWeb, .min_scale = 0, .max_scale = 57}}));
  const cluster::ReplicaBounds other{.service = RevisionId("shop"), .min_scale = 57};
  const auto refused = cluster_->check_fit({other});
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()), HasSubstr("min-scale 57 needs"));
}

TEST_F(LocalClusterTest, DrainingReplicaFinishesRequestsInFlight) {
  serve(listening_service());
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  auto request = connect_to(first().address);
  ASSERT_TRUE(scale(0).has_value());
  ASSERT_TRUE(wait_for_line("replica draining  service=web  revision=web  replica=web-1"));
  // A second replica is started and drained meanwhile: the first one still waits for its request.
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(scale(0).has_value());
  ASSERT_TRUE(wait_for_line("replica drained  service=web  revision=web  replica=web-2"));
  ASSERT_TRUE(wait_for([&] { return web().replicas.size() == 1; }));
  EXPECT_EQ(first().name, PodName("web-1"));
  EXPECT_EQ(first().phase, ReplicaPhase::kDraining);
  request.close();
  EXPECT_TRUE(wait_for([&] { return web().replicas.empty(); }));
}

TEST_F(LocalClusterTest, OrderRevokedBeforeTheStartLeavesNoProcess) {
  serve(listening_service());
  for (const PodCount want : {20, 0, 1}) {
    ASSERT_TRUE(scale(want).has_value());
  }
  ASSERT_TRUE(wait_for(
      [&] { return web().replicas.size() == 1 && web().count(ReplicaPhase::kReady) == 1; }));
  EXPECT_EQ(first().name, PodName("web-21"));
}

TEST_F(LocalClusterTest, NewSettingsAreListedAndNoReplicaRestarts) {
  serve(listening_service());
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  bool is_told = false;
  const auto subscription = cluster_->subscribe([&](const cluster::Changes&) { is_told = true; });
  config::RevisionSettings settings = web().settings;
  settings.target = 25;
  settings.window = 30s;
  ASSERT_TRUE(cluster_->configure(kWeb, settings).has_value());
  EXPECT_EQ(web().settings, settings);
  EXPECT_TRUE(wait_for([&] { return is_told; }));
  EXPECT_EQ(first().name, PodName("web-1"));
  EXPECT_EQ(first().phase, ReplicaPhase::kReady);
  EXPECT_EQ(first().restarts, 0);
}

TEST_F(LocalClusterTest, ListsTheContainerConcurrencyThatReplicasWereStartedWith) {
  config::Service service = listening_service();
  service.settings.container_concurrency = 2;
  serve(service);
  ASSERT_TRUE(scale(1).has_value());
  service.settings.container_concurrency = 0;
  ASSERT_TRUE(cluster_->configure(kWeb, service.settings).has_value());
  EXPECT_EQ(web().settings.container_concurrency, 2);
  service.settings.container_concurrency = 1;
  ASSERT_TRUE(cluster_->configure(kWeb, service.settings).has_value());
  EXPECT_EQ(web().settings.container_concurrency, 1);
  service.settings.container_concurrency = 7;
  ASSERT_TRUE(cluster_->configure(kWeb, service.settings).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  ASSERT_TRUE(scale(0).has_value());
  EXPECT_TRUE(wait_for([&] { return web().settings.container_concurrency == 7; }));
}

/// A port that nothing listens at now.
std::uint16_t unused_port() {
  http::net::io_context io;
  return http::net::ip::tcp::acceptor(io, {http::net::ip::address_v4::loopback(), 0})
      .local_endpoint()
      .port();
}

TEST_F(LocalClusterTest, AReplicaWithAFixedPortStartsWhenTheOneBeforeHasGone) {
  config::Service service = listening_service();
  service.settings.port = unused_port();
  service.settings.max_scale = 1;
  serve(service);
  ASSERT_TRUE(scale(1));
  ASSERT_TRUE(wait_for_ready(1));
  const PodName before = first().name;
  ASSERT_TRUE(cluster_->restart(kWeb));
  EXPECT_EQ(web().count(ReplicaPhase::kDraining), 1);
  EXPECT_EQ(web().replicas.size(), 1U) << "its port is not free yet";
  ASSERT_TRUE(wait_for_ready(1));
  EXPECT_NE(first().name, before);
}

TEST_F(LocalClusterTest, AnOrderForNoneDuringARestartLeavesNothing) {
  for (const bool is_removed : {false, true}) {
    serve(listening_service());
    ASSERT_TRUE(scale(1));
    ASSERT_TRUE(wait_for_ready(1));
    ASSERT_TRUE(cluster_->restart(kWeb));
    ASSERT_EQ(web().replicas.size(), 2U) << "the new one starts";
    ASSERT_TRUE(is_removed ? cluster_->remove(kWeb) : scale(0));
    ASSERT_TRUE(wait_for_line("replica drained  service=web  revision=web  replica=web-1"));
    ASSERT_TRUE(wait_for_line("replica drained  service=web  revision=web  replica=web-2"));
    log_lines.clear();
  }
}

TEST_F(LocalClusterTest, SettingsOfAnUnknownServiceAreRejected) {
  serve(listening_service());
  EXPECT_EQ(cluster_->configure(RevisionId("shop"), {}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(LocalClusterTest, ShutDownDrainsAndThenRejectsOrders) {
  serve(listening_service());
  ASSERT_TRUE(scale(3).has_value());
  ASSERT_TRUE(wait_for_ready(3));
  shut_down(5s);
  EXPECT_EQ(cluster_->shutdown_stage(), ShutdownStage::kStopped);
  EXPECT_TRUE(web().replicas.empty());
  EXPECT_EQ(scale(1).error().kind(), ErrorKind::kUnavailable);
}

TEST_F(LocalClusterTest, ShutDownKillsTheRestAtItsDeadline) {
  serve(web_service({TEST_APP, "deaf", "daemon", "listen", "$PORT", "wait"}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for_ready(1));
  const auto request = connect_to(first().address);
  shut_down(50ms);
  EXPECT_EQ(cluster_->shutdown_stage(), ShutdownStage::kStopped);
  EXPECT_TRUE(web().replicas.empty());
}

TEST_F(LocalClusterTest, KillNowEndsARunningShutDownAtOnce) {
  serve(web_service({TEST_APP, "deaf", "listen", "$PORT", "wait"}));
  ASSERT_TRUE(scale(2).has_value());
  ASSERT_TRUE(wait_for_ready(2));
  const auto request = connect_to(first().address);
  const TimePoint began = sys::system_clock().now();
  run_task<void>(io_, [&]() -> http::Awaitable<void> {
    http::net::post(io_, [&] { cluster_->kill_now(); });
    co_await cluster_->shut_down(began + 1h);
  });
  EXPECT_EQ(cluster_->shutdown_stage(), ShutdownStage::kStopped);
  EXPECT_LT(sys::system_clock().now() - began, 10s);
}

TEST_F(LocalClusterTest, MeasuresTheUsageOfEachReplica) {
  options_.usage_period = 20ms;
  serve(web_service({"/bin/sh", "-c", TEST_APP " listen $PORT wait & while :; do :; done"}));
  ASSERT_TRUE(scale(1).has_value());
  ASSERT_TRUE(wait_for(
      [&] { return !web().replicas.empty() && first().usage && first().usage->cpu.value > 0; }));
  EXPECT_GT(first().usage->memory.value, 1'000'000);
}

}  // namespace
}  // namespace bellows::test
