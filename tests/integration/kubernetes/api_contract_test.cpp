#include "tests/integration/kubernetes/api_contract.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "http/io/task_group.hpp"
#include "kubernetes/core/lease.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/core/patch.hpp"
#include "kubernetes/io/discovery.hpp"
#include "kubernetes/io/informer.hpp"
#include "tests/support/run_until.hpp"

namespace bellows::kubernetes {

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;

std::string ApiContract::fake_kubeconfig() {
  const std::string file = folder_.path("kubeconfig");
  std::ofstream(file) << "current-context: c\n"
                      << "clusters: [{name: c, cluster: {server: '" << fake_->url() << "'}}]\n"
                      << "contexts: [{name: c, context: {cluster: c}}]\n";
  return file;
}

ApiContract::Watched ApiContract::watch(Query query) {
  Watched watched;
  EventReader reader(
      Lease::fields(),
      [&watched](const WatchEvent& event) -> Result<void> {
        constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
        const ObjectIdentity identity = identity_of(event.object);
        std::string text = kNames[static_cast<int>(event.type)];
        if (!identity.key.empty()) text += " " + std::string(split_key(identity.key).name);
        if (event.type == WatchEventType::kError) {
          text += " " + std::to_string(read_status(event.object).code);
        } else {
          watched.versions.push_back(std::stoull(identity.resource_version));
        }
        watched.events.push_back(std::move(text));
        return {};
      },
      [&watched](const Error& error) { watched.error = to_string(error); });
  std::string refusal;
  const ApiRequest asked = request(ApiVerb::kWatch, {leases()});
  const auto streamed = test::run_task<Result<void>>(io_, [&]() -> http::Awaitable<Result<void>> {
    ApiStream into;
    into.on_head = [&](int status, std::optional<Duration>) { watched.http_status = status; };
    into.on_chunk = [&](std::string_view chunk) -> Result<void> {
      if (watched.http_status == 200) return reader.feed(chunk);
      refusal.append(chunk);
      return {};
    };
    auto done = co_await client_->stream(
        asked, query.target(), sys::system_clock().now() + std::chrono::seconds(30), into);
    co_return done;
  });
  if (!streamed) watched.error = to_string(streamed.error());
  if (watched.http_status != 200) watched.error = refusal;
  return watched;
}

namespace {

constexpr const char* kDeployment =
    R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,)"
    R"("selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},)"
    R"("spec":{"containers":[{"name":"app","image":"none"}]}}}})";

TEST_P(ApiContract, AnObjectIsCreatedReadWrittenAndDeleted) {
  const ApiAnswer created = create_lease("a");
  ASSERT_EQ(created.http_status, 201) << created.body;
  EXPECT_NE(text_at(created.body, "metadata", "uid"), "");
  EXPECT_EQ(get({leases(), "a"}).body, created.body);
  const ApiAnswer twice = create_lease("a");
  EXPECT_EQ(twice.http_status, 409);
  EXPECT_EQ(twice.status().reason, "AlreadyExists");
  EXPECT_EQ(send(request(ApiVerb::kDelete, {leases(), "a"})).http_status, 200);
  const ApiAnswer gone = get({leases(), "a"});
  EXPECT_EQ(gone.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(gone.status().reason, "NotFound");
}

TEST_P(ApiContract, AWriteWithAnOldVersionConflicts) {
  const ApiAnswer created = create_lease("a");
  Lease lease;
  lease.meta.ns = ns_;
  lease.meta.name = "a";
  lease.meta.resource_version = version_of(created);
  lease.holder = "b";
  lease.duration_seconds = 15;
  const ApiAnswer updated = write(ApiVerb::kUpdate, {leases(), "a"}, lease_json(lease));
  EXPECT_EQ(updated.http_status, 200) << updated.body;
  EXPECT_GT(std::stoull(version_of(updated)), std::stoull(version_of(created)));
  const ApiAnswer stale = write(ApiVerb::kUpdate, {leases(), "a"}, lease_json(lease));
  EXPECT_EQ(stale.http_status, 409);
  EXPECT_EQ(stale.status().reason, "Conflict");
  EXPECT_EQ(stale.error().kind(), ErrorKind::kConflict);
}

TEST_P(ApiContract, AListComesInPagesOfOneVersion) {
  for (const char* name : {"a", "b", "c"}) create_lease(name);
  const ApiAnswer first = get({leases()}, "limit=2");
  EXPECT_EQ(text_at(first.body, "metadata", "remainingItemCount"), "1");
  const std::string token = text_at(first.body, "metadata", "continue");
  ASSERT_NE(token, "");
  create_lease("d");
  const ApiAnswer second = get({leases()}, "limit=2&continue=" + percent_encoded(token));
  EXPECT_EQ(version_of(second), version_of(first)) << "the pages are of one moment";
  EXPECT_THAT(second.body, HasSubstr("\"name\":\"c\""));
  EXPECT_EQ(second.body.find("\"name\":\"d\""), std::string::npos);
  EXPECT_EQ(text_at(second.body, "metadata", "continue"), "");
}

TEST_P(ApiContract, AWatchTellsEveryChangeAfterItsVersionAndPerhapsABookmark) {
  const std::string version = version_of(create_lease("a"));
  create_lease("b");
  write(ApiVerb::kPatch, {leases(), "b"}, R"({"spec":{"holderIdentity":"z"}})", kMergePatchType);
  send(request(ApiVerb::kDelete, {leases(), "a"}));
  const Watched watched = watch(lease_watch(version));
  EXPECT_EQ(watched.error, "");
  ASSERT_GE(watched.events.size(), 3U);
  EXPECT_THAT(std::vector(watched.events.begin(), watched.events.begin() + 3),
              ElementsAre("ADDED b", "MODIFIED b", "DELETED a"));
  // 1.20 sends none on a kind that is quiet, however long the watch.
  for (std::size_t i = 3; i < watched.events.size(); ++i) EXPECT_EQ(watched.events[i], "BOOKMARK");
  EXPECT_TRUE(std::is_sorted(watched.versions.begin(), watched.versions.end()));
  EXPECT_GT(watched.versions.front(), std::stoull(version));
}

TEST_P(ApiContract, ASelectorsWatchTellsOfObjectsThatEnterAndLeave) {
  const std::string version = version_of(create_lease("a"));
  const auto label = [this](const char* value) {
    write(ApiVerb::kPatch, {leases(), "a"},
          std::string(R"({"metadata":{"labels":{"app":)") + value + "}}}", kMergePatchType);
  };
  label("\"web\"");
  label("null");
  const Watched watched = watch(lease_watch(version).add("labelSelector", "app=web"));
  ASSERT_GE(watched.events.size(), 2U) << watched.error;
  EXPECT_EQ(watched.events[0], "ADDED a");
  EXPECT_EQ(watched.events[1], "DELETED a");
  EXPECT_THAT(get({leases()}, "labelSelector=app%3Dweb").body, HasSubstr("\"items\":[]"));
}

TEST_P(ApiContract, AWatchFromAVersionThatIsNotReachedIsSilent) {
  const std::string version = version_of(create_lease("a"));
  create_lease("b");
  const Watched watched = watch(lease_watch(std::to_string(std::stoull(version) + 1'000'000)));
  // So a client whose server was replaced by one with smaller versions would wait for ever.
  EXPECT_TRUE(watched.events.empty() || watched.http_status != 200) << watched.events.front();
}

TEST_P(ApiContract, AnInitialListOnAWatchIsRefusedOrEndsWithItsBookmark) {
  create_lease("a");
  const Watched watched = watch(Query(collection_path(leases(), ns_))
                                    .add("watch", 1)
                                    .add("allowWatchBookmarks", "true")
                                    .add("timeoutSeconds", 2)
                                    .add("sendInitialEvents", "true")
                                    .add("resourceVersionMatch", "NotOlderThan"));
  if (watched.http_status == 200) {
    ASSERT_GE(watched.events.size(), 2U);
    EXPECT_EQ(watched.events[0], "ADDED a");
    EXPECT_EQ(watched.events[1], "BOOKMARK");
  } else {
    EXPECT_THAT(watched.http_status, AnyOf(400, 422));
  }
}

TEST_P(ApiContract, ScaleIsPatchedOnlyAsItWasSeen) {
  const ApiAnswer created = write(ApiVerb::kCreate, {deployments()}, kDeployment);
  ASSERT_EQ(created.http_status, 201) << created.body;
  const std::string uid = text_at(created.body, "metadata", "uid");
  const Target scale{deployments(), "web", "scale"};
  EXPECT_EQ(text_at(get(scale).body, "spec", "replicas"), "2");
  EXPECT_EQ(text_at(get(scale).body, "metadata", "uid"), uid);
  EXPECT_EQ(text_at(get(scale).body, "status", "selector"), "app=web");
  const auto patch = [&](const std::string& seen_uid, int seen, int wanted) {
    return write(ApiVerb::kPatch, scale,
                 JsonPatch()
                     .test("/metadata/uid", seen_uid)
                     .test("/spec/replicas", seen)
                     .replace("/spec/replicas", wanted)
                     .body(),
                 kJsonPatchType);
  };
  const ApiAnswer done = patch(uid, 2, 4);
  EXPECT_EQ(done.http_status, 200) << done.body;
  EXPECT_EQ(text_at(done.body, "spec", "replicas"), "4");
  const ApiAnswer other_number = patch(uid, 2, 5);
  EXPECT_EQ(other_number.http_status, 422);
  EXPECT_EQ(other_number.error().kind(), ErrorKind::kConflict) << other_number.body;
  EXPECT_EQ(patch("another", 4, 5).error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(text_at(get({deployments(), "web"}).body, "spec", "replicas"), "4");
  const ApiAnswer negative =
      write(ApiVerb::kPatch, scale, R"({"spec":{"replicas":-1}})", kMergePatchType);
  EXPECT_GE(negative.http_status, 400);
}

TEST_P(ApiContract, TheStatusIsWrittenApartFromTheRest) {
  const ApiAnswer created = write(
      ApiVerb::kCreate, {services()},
      R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},)"
      R"("spec":{"type":"LoadBalancer","ports":[{"port":80}]},"status":{"loadBalancer":{"ingress":[{"ip":"10.9.9.9"}]}}})");
  ASSERT_EQ(created.http_status, 201) << created.body;
  EXPECT_EQ(created.body.find("10.9.9.9"), std::string::npos) << "a new object has no status";
  const ApiAnswer status = write(ApiVerb::kPatch, {services(), "s", "status"},
                                 R"({"spec":{"sessionAffinity":"ClientIP"},)"
                                 R"("status":{"loadBalancer":{"ingress":[{"ip":"10.1.2.3"}]}}})",
                                 kMergePatchType);
  ASSERT_EQ(status.http_status, 200) << status.body;
  EXPECT_THAT(status.body, HasSubstr("10.1.2.3"));
  EXPECT_EQ(status.body.find("ClientIP"), std::string::npos);
  const ApiAnswer labels = write(ApiVerb::kPatch, {services(), "s"},
                                 R"({"metadata":{"labels":{"app":"web"}},)"
                                 R"("status":{"loadBalancer":{"ingress":[{"ip":"10.9.9.9"}]}}})",
                                 kMergePatchType);
  ASSERT_EQ(labels.http_status, 200) << labels.body;
  EXPECT_THAT(labels.body, HasSubstr("10.1.2.3"));
  EXPECT_THAT(labels.body, HasSubstr("\"app\":\"web\""));
}

TEST_P(ApiContract, AWriteThatChangesNothingLeavesTheVersion) {
  const ApiAnswer created = create_lease("a");
  const ApiAnswer same = write(ApiVerb::kPatch, {leases(), "a"},
                               R"({"spec":{"holderIdentity":"a"}})", kMergePatchType);
  EXPECT_EQ(version_of(same), version_of(created));
}

TEST_P(ApiContract, DiscoverySaysWhatTheServerHas) {
  const auto features = test::run_task<Result<ServerFeatures>>(
      io_, [this]() -> http::Awaitable<Result<ServerFeatures>> {
        auto found = co_await discover(*client_);
        co_return found;
      });
  ASSERT_TRUE(features) << to_string(features.error());
  EXPECT_EQ(features->version.major, 1);
  EXPECT_GE(features->version.minor, 20);
  EXPECT_TRUE(features->has("v1"));
  EXPECT_TRUE(features->has("apps/v1"));
  EXPECT_TRUE(features->endpoint_slices().has_value());
  EXPECT_TRUE(features->horizontal_pod_autoscalers().has_value());
  const auto resources = test::run_task<Result<std::vector<ApiResource>>>(
      io_, [this]() -> http::Awaitable<Result<std::vector<ApiResource>>> {
        auto found = co_await discover_resources(*client_, "apps/v1");
        co_return found;
      });
  ASSERT_TRUE(resources) << to_string(resources.error());
  std::vector<std::string> names;
  for (const ApiResource& one : *resources) names.push_back(one.name);
  EXPECT_THAT(names, Contains("deployments/scale"));
}

TEST_P(ApiContract, AnUnknownKindIsNotFound) {
  EXPECT_EQ(get({{"no.such.group", "v1", "things"}}).error().kind(), ErrorKind::kNotFound);
}

TEST_P(ApiContract, AnInformerFollowsWhatHappens) {
  create_lease("a");
  ObjectStore<Lease> store;
  ListWatchOptions options;
  options.resource = leases();
  options.ns = ns_;
  options.page_size = 1;
  Informer informer(*client_, options, store, random_,
                    [](const Error& error) { ADD_FAILURE() << to_string(error); });
  http::TaskGroup tasks(io_);
  tasks.spawn("informer", [&informer] { return informer.run(); });
  ASSERT_TRUE(test::run_until(io_, [&] { return informer.status().watching_since.has_value(); }));
  EXPECT_NE(store.find(ns_, "a"), nullptr);
  create_lease("b");
  write(ApiVerb::kPatch, {leases(), "a"}, R"({"spec":{"holderIdentity":"z"}})", kMergePatchType);
  EXPECT_TRUE(test::run_until(io_, [&] {
    const auto a = store.find(ns_, "a");
    return store.find(ns_, "b") != nullptr && a != nullptr && a->holder == "z";
  }));
  send(request(ApiVerb::kDelete, {leases(), "b"}));
  EXPECT_TRUE(test::run_until(io_, [&] { return store.find(ns_, "b") == nullptr; }));
  tasks.stop();
  EXPECT_TRUE(test::run_until(io_, [&] { return tasks.running() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Servers, ApiContract, testing::Values(false, true),
                         [](const auto& one) { return one.param ? "Real" : "Fake"; });

}  // namespace
}  // namespace bellows::kubernetes
