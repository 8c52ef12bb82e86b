// An informer against the fake API server while that does what servers and networks do.
#include "tests/support/fake_api_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "http/io/task_group.hpp"
#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/informer.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::kubernetes {
namespace {

using test::FakeApiFault;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = FakeApiFault::Kind;

class InformerOnFake : public testing::Test {
 protected:
  InformerOnFake() {
    const std::string file = folder_.path("kubeconfig");
    std::ofstream(file) << "current-context: c\n"
                        << "clusters: [{name: c, cluster: {server: '" << api_.url() << "'}}]\n"
                        << "contexts: [{name: c, context: {cluster: c}}]\n";
    client_.emplace(io_, load_credentials(io_, {.kubeconfig = file}).value(), random_);
  }

  ~InformerOnFake() override {
    tasks_.stop();
    test::run_until(io_, [this] { return tasks_.running() == 0; });
  }

  void put(const std::string& name, const std::string& spec = "{}") {
    api_.store().put(
        leases(), R"({"metadata":{"namespace":"n","name":")" + name + R"("},"spec":)" + spec + "}");
  }

  void start(bool try_watch_list = false) {
    ListWatchOptions options;
    options.resource = leases();
    options.page_size = 2;
    options.try_watch_list = try_watch_list;
    informer_.emplace(*client_, options, store_, random_,
                      [this](const Error& error) { rejected_.push_back(to_string(error)); });
    tasks_.spawn("informer", [this] { return informer_->run(); });
  }

  bool until(const std::function<bool()>& is_true) { return test::run_until(io_, is_true); }
  bool is_watching() {
    return until([this] { return informer_->status().watching_since && api_.watches() == 1; });
  }
  bool has(const std::string& name) {
    return until([&] { return store_.find("n", name) != nullptr; });
  }

  std::vector<std::string> names() {
    std::vector<std::string> all;
    store_.each([&all](const auto& object) { all.push_back(object->meta.name); });
    return all;
  }

  http::net::io_context io_;
  SeededRandom random_{1};
  test::TemporaryFolder folder_;
  test::FakeApiServer api_{io_};
  std::optional<ApiClient> client_;
  ObjectStore<CustomObject> store_;
  std::optional<Informer> informer_;
  std::vector<std::string> rejected_;
  http::TaskGroup tasks_{io_};
};

TEST_F(InformerOnFake, ListsInPagesAndFollows) {
  for (const char* name : {"a", "b", "c"}) put(name);
  start();
  ASSERT_TRUE(is_watching());
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(api_.count("limit=2"), 2U);
  put("d");
  EXPECT_TRUE(has("d"));
  api_.store().remove(leases(), "n", "a");
  EXPECT_TRUE(until([this] { return store_.find("n", "a") == nullptr; }));
  EXPECT_EQ(informer_->status().lists, 1U);
}

TEST_F(InformerOnFake, StreamsTheListWhereTheServerCan) {
  for (const char* name : {"a", "b", "c"}) put(name);
  start(true);
  ASSERT_TRUE(until([this] { return store_.listed(); }));
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(api_.requests().size(), 1U);
  put("d");
  EXPECT_TRUE(has("d"));
}

TEST_F(InformerOnFake, ABookmarkMovesTheVersionOn) {
  put("a");
  start();
  ASSERT_TRUE(is_watching());
  api_.store().put(pods(), R"({"metadata":{"namespace":"n","name":"other"}})");
  const std::string version = std::to_string(api_.store().version());
  api_.send_bookmarks();
  EXPECT_TRUE(until([&] { return informer_->status().resource_version == version; }));
}

TEST_F(InformerOnFake, AWatchThatTheServerEndsGoesOnWhereItWas) {
  put("a");
  start();
  ASSERT_TRUE(is_watching());
  put("b");
  ASSERT_TRUE(has("b"));
  api_.end_watches();
  ASSERT_TRUE(until([this] { return informer_->status().watches == 2; }));
  put("c");
  EXPECT_TRUE(has("c"));
  EXPECT_EQ(informer_->status().lists, 1U);
}

TEST_F(InformerOnFake, ConnectionsThatBreakLoseNothing) {
  put("a");
  start();
  ASSERT_TRUE(is_watching());
  api_.drop_connections();
  put("b");
  EXPECT_TRUE(has("b"));
  EXPECT_EQ(informer_->status().lists, 1U) << "the watch is resumed";
}

TEST_F(InformerOnFake, WhatWasCompactedIsListedAnew) {
  put("a");
  put("b");
  start();
  ASSERT_TRUE(is_watching());
  api_.stop();
  api_.store().remove(leases(), "n", "a");
  put("c");
  api_.store().compact();
  put("d");
  EXPECT_THAT(names(), ElementsAre("a", "b")) << "the old list stays";
  api_.start();
  EXPECT_TRUE(has("d"));
  EXPECT_TRUE(has("c"));
  EXPECT_TRUE(until([this] { return informer_->status().lists == 2; }));
  EXPECT_THAT(names(), ElementsAre("b", "c", "d"));
}

TEST_F(InformerOnFake, AServerWithOtherDataIsListedAnew) {
  for (int i = 0; i < 20; ++i) put("a" + std::to_string(i));
  start();
  ASSERT_TRUE(is_watching());
  api_.stop();
  api_.store().replace_data(2);
  put("z");
  api_.start();
  EXPECT_TRUE(has("z"));
  EXPECT_TRUE(until([this] { return informer_->status().lists == 2; }));
  EXPECT_THAT(names(), ElementsAre("z"));
}

struct NamedFault {
  const char* name;
  FakeApiFault fault;
};

class InformerAfter : public InformerOnFake, public testing::WithParamInterface<NamedFault> {};

TEST_P(InformerAfter, AFaultTheListIsWholeAndFollowed) {
  for (const char* name : {"a", "b", "c"}) put(name);
  api_.fail(GetParam().fault);
  start();
  ASSERT_TRUE(is_watching());
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
  put("d");
  EXPECT_TRUE(has("d"));
}

INSTANTIATE_TEST_SUITE_P(
    Faults, InformerAfter,
    testing::Values(
        NamedFault{"InternalError", {.kind = Kind::kStatus, .code = 500}},
        NamedFault{"Unauthorized", {.kind = Kind::kStatus, .code = 401}},
        NamedFault{"Overload", {.kind = Kind::kStatus, .code = 429, .retry_after_seconds = 0}},
        NamedFault{"Garbage", {.kind = Kind::kGarbage}},
        NamedFault{"NoAnswer", {.kind = Kind::kCut, .bytes = 0}},
        NamedFault{"HalfAHead", {.kind = Kind::kCut, .bytes = 40}},
        NamedFault{"HalfABody", {.kind = Kind::kCut, .bytes = 300}},
        NamedFault{"LostPage", {.kind = Kind::kStatus, .target = "continue=", .code = 410}},
        NamedFault{"WatchOfGarbage", {.kind = Kind::kGarbage, .target = "watch=1"}},
        NamedFault{"ExpiredWatch", {.kind = Kind::kErrorEvent, .target = "watch=1", .code = 410}},
        NamedFault{"BrokenWatch", {.kind = Kind::kErrorEvent, .target = "watch=1", .code = 500}}),
    [](const auto& one) { return one.param.name; });

TEST_F(InformerOnFake, AnObjectOfThreeMegabytesIsNamedAndTheOthersAreThere) {
  put("a");
  put("large", "{\"text\":\"" + std::string(std::size_t{3} * 1024 * 1024, 'x') + "\"}");
  put("z");
  start();
  ASSERT_TRUE(is_watching());
  EXPECT_THAT(names(), ElementsAre("a", "z"));
  EXPECT_THAT(rejected_, ElementsAre(HasSubstr("object n/large: ")));
  put("large", "{\"text\":\"" + std::string(std::size_t{3} * 1024 * 1024, 'y') + "\"}");
  put("y");
  EXPECT_TRUE(has("y"));
  EXPECT_EQ(rejected_.size(), 2U);
}

TEST_F(InformerOnFake, ATokenThatTheServerDoesNotKnowIsAFailureThatIsTold) {
  put("a");
  api_.set_token("secret");
  start();
  EXPECT_TRUE(until([this] { return informer_->status().failing_since.has_value(); }));
  EXPECT_THAT(informer_->status().failure, HasSubstr("HTTP 401 Unauthorized"));
  api_.set_token("");
  EXPECT_TRUE(has("a"));
}

}  // namespace
}  // namespace bellows::kubernetes
