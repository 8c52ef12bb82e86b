// Pages by which the state of a revision is changed: who may, and what they respond.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <sstream>
#include <string>

#include "autoscaler/journal/decision_replay.hpp"
#include "autoscaler/service/autoscaler_service.hpp"
#include "base/sys/clock.hpp"
#include "http/io/client.hpp"
#include "http/io/control_socket.hpp"
#include "http/io/service_server.hpp"
#include "tests/integration/autoscaler/scripted_cluster.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::autoscaler::test {
namespace {

namespace json = boost::json;
using http::Awaitable;
using http::Response;
using testing::HasSubstr;

/// As on one machine: a port, and a control socket beside it.
class StatePages : public testing::Test {
 protected:
  StatePages() {
    cluster::Revision web;
    web.id = RevisionId("web");
    web.settings.initial_scale = 0;
    cluster_.set(web);
    service_.add_routes(server_);
    control_.add_route(server_);
    address_ = server_.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
    EXPECT_TRUE(control_.listen(server_, address_,
                                {.path = folder_.path("control.sock"), .runtime_folder = {}}));
    service_.start();
  }
  ~StatePages() override {
    bellows::test::run_task<void>(io_, [this]() -> Awaitable<void> {
      const TimePoint deadline = sys::system_clock().now() + std::chrono::seconds(2);
      co_await service_.stop(deadline);
      co_await server_.stop(deadline);
    });
  }

  Response ask(const std::string& method, const std::string& path) {
    const Endpoint control{.host = {}, .port = 0, .unix_path = control_.path()};
    return ask_at(method == "GET" ? address_ : control, method, path);
  }

  Response ask_at(const Endpoint& where, const std::string& method, const std::string& path) {
    return bellows::test::run_task<Response>(io_, [&]() -> Awaitable<Response> {
      auto answer = co_await http::fetch(where, method, path);
      co_return std::move(answer).value();
    });
  }

  bellows::test::TemporaryFolder folder_;
  http::net::io_context io_;
  ScriptedCluster cluster_{io_};
  metrics::prometheus::Registry metrics_{"0"};
  AutoscalerService service_{io_, cluster_, sys::system_clock(), metrics_, {}};
  http::ControlSocket control_;
  http::ServiceServer server_{io_};
  Endpoint address_;
};

TEST_F(StatePages, ChangesAreTakenByTheControlSocketOnly) {
  const Response refused = ask_at(address_, "POST", "/v1/revisions/web/retire");
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("not accepted over TCP"));
  EXPECT_EQ(cluster_.revisions().find(RevisionId("web"))->state, cluster::RevisionState::kActive);
  EXPECT_THAT(ask("GET", "/v1/control").body, HasSubstr(control_.path()));
  struct stat file {};
  ASSERT_EQ(::stat(control_.path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
  EXPECT_EQ(ask("POST", "/v1/revisions/web/retire").status, 204);
}

TEST_F(StatePages, RetiresOnceAndAnswersGoneAfterwards) {
  EXPECT_EQ(ask("POST", "/v1/revisions/web/retire").status, 204);
  EXPECT_THAT(ask("GET", "/v1/status").body, HasSubstr("Retired"));
  const Response again = ask("POST", "/v1/revisions/web/retire");
  EXPECT_EQ(again.status, 410);
  EXPECT_EQ(json::parse(again.body).at("error").at("kind").as_string(), "gone");
}

TEST_F(StatePages, PausesAndResumes) {
  EXPECT_EQ(ask("POST", "/v1/revisions/web/pause").status, 204);
  ask("GET", "/v1/status");  // the list has arrived since
  const json::value paused =
      json::parse(ask("GET", "/v1/status").body).at("services").at(0).at("revisions").at(0);
  EXPECT_TRUE(paused.at("paused").as_bool());
  EXPECT_EQ(paused.at("last_decision").at("rule").as_string(), "paused");
  EXPECT_EQ(ask("POST", "/v1/revisions/web/pause").status, 204) << "it is in that state";
  EXPECT_EQ(ask("POST", "/v1/revisions/web/resume").status, 204);
  ask("GET", "/v1/status");
  const json::value resumed =
      json::parse(ask("GET", "/v1/status").body).at("services").at(0).at("revisions").at(0);
  EXPECT_FALSE(resumed.as_object().contains("paused"));
  EXPECT_EQ(resumed.at("last_decision").at("rule").as_string(), "at-zero");
  ask("POST", "/v1/revisions/web/retire");
  EXPECT_EQ(ask("POST", "/v1/revisions/web/resume").status, 410);
}

TEST_F(StatePages, TakesNamesWithANamespace) {
  cluster::Revision revision;
  revision.id = RevisionId("shop/web");
  cluster_.set(revision);
  EXPECT_EQ(ask("GET", "/v1/status").status, 200);
  EXPECT_THAT(ask("GET", "/v1/revisions/shop/web/decisions").body,
              HasSubstr(R"("name":"shop/web")"));
  const Response lines = ask("GET", "/v1/revisions/shop/web/journal");
  ASSERT_EQ(lines.status, 200);
  std::istringstream text(lines.body);
  EXPECT_EQ(journal::read_journal(text).value().service, "shop/web");
  EXPECT_EQ(ask("POST", "/v1/revisions/shop/web/pause").status, 204);
  EXPECT_EQ(cluster_.truth("shop/web").state, cluster::RevisionState::kPaused);
  EXPECT_EQ(cluster_.truth("web").state, cluster::RevisionState::kActive);
  EXPECT_EQ(ask("GET", "/v1/revisions/shop/decisions").status, 404);
}

TEST_F(StatePages, WhatIsUnknownIsNotFoundByName) {
  const Response revision = ask("POST", "/v1/revisions/shop/retire");
  EXPECT_EQ(revision.status, 404);
  EXPECT_THAT(revision.body, HasSubstr("shop"));
  EXPECT_EQ(ask("GET", "/v1/revisions/shop/decisions").status, 404);
  EXPECT_EQ(ask("GET", "/v1/revisions/shop/journal").status, 404);
  EXPECT_EQ(ask("GET", "/v1/revisions/web/elsewhere").status, 404);
  EXPECT_EQ(ask("GET", "/v1/revisions/").status, 404);
}

}  // namespace
}  // namespace bellows::autoscaler::test
