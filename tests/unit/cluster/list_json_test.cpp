#include "cluster/remote/list_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <functional>

namespace bellows::cluster {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

constexpr TimePoint kSent{24h};
constexpr TimePoint kReceived{24h + 5min};

Replica ready_replica() {
  Replica replica;
  replica.name = PodName("web-1");
  replica.phase = ReplicaPhase::kReady;
  replica.address = {"127.0.0.1", 40001, ""};
  replica.start = {kSent - 10s, kSent - 9900ms, kSent - 9688ms};
  replica.restarts = 2;
  replica.app_protocol = "h2c";
  replica.usage = Usage{{250}, {12'345'678}};
  replica.stat_secret = "51d0";
  replica.size = {Millicores{250}, mebibytes(64), std::nullopt};
  return replica;
}

Revision web_service() {
  Revision web;
  web.id = RevisionId("web");
  web.route = {"web.example", "/api"};
  web.settings.container_concurrency = 10;
  web.settings.target = 7.5;
  web.settings.window = 30s;
  web.settings.max_scale = 8;
  web.settings.enable_scale_to_zero = false;
  web.settings.readiness_path = "/ready";
  web.requested = 2;
  web.failure_message = "web-2: the app exited with code 1: \"boom\"";
  Replica pending;
  pending.name = PodName("web-2");
  pending.start.ordered = kSent - 1ms;
  web.replicas = next_replicas({ready_replica(), pending}, {});
  return web;
}

RevisionList list_of(const std::vector<Revision>& revisions) {
  RevisionList list;
  for (const Revision& revision : revisions) list.put(std::make_shared<const Revision>(revision));
  return list;
}

RevisionList list_of(const ReceivedList& received) {
  RevisionList list;
  for (const RevisionPtr& revision : received.revisions) list.put(revision);
  return list;
}

RevisionList one_service() {
  return list_of({web_service()});
}

TEST(ListJson, HasTheSecretOfActivatorsIfThereIsOne) {
  EXPECT_EQ(parse_list(list_json(one_service(), kSent, "8c1f"), kSent)->activator_secret, "8c1f");
  EXPECT_EQ(parse_list(list_json(one_service(), kSent), kSent)->activator_secret, "");
}

TEST(ListJson, RoundTrips) {
  const Result<ReceivedList> read = parse_list(list_json(one_service(), kSent), kSent);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->version, one_service().version());
  ASSERT_EQ(read->revisions.size(), 1u);
  EXPECT_EQ(*read->revisions[0], web_service());
}

TEST(ListJson, HasWhoAsksForMinScale) {
  Revision web = web_service();
  web.settings.raise_min_scale(3, config::MinScaleFrom::kDeploy);
  std::string text = list_json(list_of({web}), kSent);
  EXPECT_EQ(*parse_list(text, kSent)->revisions[0], web);
  const std::string from = R"("min_scale_from":"deploy")";
  ASSERT_THAT(text, HasSubstr(from));
  text.replace(text.find(from), from.size(), R"("min_scale_from":"a newer Bellows")");
  EXPECT_EQ(parse_list(text, kSent)->revisions[0]->settings.min_scale_from,
            config::MinScaleFrom::kSetting);
}

TEST(ListJson, HasTheServiceAndTheShareOfARevisionThatHasOne) {
  Revision second = web_service();
  second.id = RevisionId("web-00002");
  second.service = RevisionId("web");
  second.share = 0;
  const Result<ReceivedList> read = parse_list(list_json(list_of({second}), kSent), kSent);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(*read->revisions[0], second);
}

TEST(ListJson, HasTheLearnedTargetIfThereIsOne) {
  Revision learned = web_service();
  EXPECT_EQ(list_json(list_of({learned}), kSent).find("learned_target"), std::string::npos);
  learned.learned_target = 12.5;
  const Result<ReceivedList> read = parse_list(list_json(list_of({learned}), kSent), kSent);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(*read->revisions[0], learned);
}

TEST(ReportJson, HasWhatActivatorsNeed) {
  Report report;
  report.reason = "for users of the autoscaler";
  EXPECT_EQ(report_json(report), "{}");
  report.learned_target = 12.5;
  const Result<Report> read = parse_report(report_json(report));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->learned_target, 12.5);
  EXPECT_EQ(parse_report("{}")->learned_target, std::nullopt);
  for (const char* text : {R"({"learned_target":0})", R"({"learned_target":"many"})", "[]", ""})
    EXPECT_FALSE(parse_report(text).has_value()) << text;
}

TEST(ListJson, HasAgesSoThatTheClockOfTheReaderCounts) {
  const Result<ReceivedList> read = parse_list(list_json(one_service(), kSent), kReceived);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->revisions[0]->replicas[0]->start.ordered, kReceived - 10s);
  EXPECT_EQ(read->revisions[0]->replicas[0]->start.ready, kReceived - 9688ms);
  EXPECT_EQ(read->revisions[0]->replicas[1]->start.ready, std::nullopt);
}

/// A list as another implementation may write it: its order and names are not ours.
std::string listing(const std::vector<std::string>& revisions,
                    const std::vector<std::string>& replicas) {
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
    return text;
  };
  std::vector<std::string> listed;
  for (const std::string& name : replicas) {
    listed.push_back(R"({"name":")" + name +
                     R"(","phase":"ready","address":"","start":{"ordered_age_ms":1},)" +
                     R"("restarts":0,"trouble":""})");
  }
  std::vector<std::string> all;
  for (const std::string& name : revisions) {
    all.push_back(R"({"name":")" + name +
                  R"(","host":"","path_prefix":"","settings":{},"requested":0,"retired":false,)" +
                  R"("trouble":"","replicas":[)" + joined(listed) + "]}");
  }
  return R"({"version":1,"revisions":[)" + joined(all) + "]}";
}

TEST(ListJson, IsSortedByNameInAnyOrderOfTheText) {
  const auto read = parse_list(listing({"web", "api"}, {"web-9", "web-10"}), kReceived);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->revisions[0]->id, RevisionId("api"));
  EXPECT_EQ(read->revisions[1]->id, RevisionId("web"));
  EXPECT_EQ(read->revisions[1]->replicas[0]->name, PodName("web-10"));
}

TEST(ListJson, WithADuplicateNameIsMalformed) {
  const auto revisions = parse_list(listing({"web", "api", "web"}, {}), kReceived);
  ASSERT_FALSE(revisions.has_value());
  EXPECT_EQ(revisions.error().kind(), ErrorKind::kMalformed);
  EXPECT_EQ(to_string(revisions.error()), "cluster.revisions: names web twice, want each once");
  const auto replicas = parse_list(listing({"web"}, {"web-1", "web-1"}), kReceived);
  ASSERT_FALSE(replicas.has_value());
  EXPECT_EQ(to_string(replicas.error()),
            "cluster.revisions[0].replicas: names web-1 twice, want each once");
}

/// Two lists that were sent `between` apart and parsed; the second one was delayed by `late`.
class TwoLists : public testing::Test {
 protected:
  void read(const RevisionList& first, const RevisionList& second, Duration between,
            Duration late) {
    first_ = list_of(parse_list(list_json(first, kSent), kReceived).value());
    const TimePoint received = kReceived + between + late;
    second_ = list_of(parse_list(list_json(second, kSent + between), received, first_).value());
  }
  static RevisionList with(const std::function<void(Replica&)>& change) {
    Revision web = web_service();
    Replica changed = *web.replicas[0];
    change(changed);
    web.replicas[0] = std::make_shared<const Replica>(changed);
    return list_of({web});
  }
  static const std::vector<ReplicaPtr>& replicas(const RevisionList& list) {
    return (*list.begin())->replicas;
  }
  static const StartTimes& start(const RevisionList& list) { return replicas(list)[0]->start; }

  RevisionList first_;
  RevisionList second_;
};

TEST_F(TwoLists, GiveTheSameTimesForAnyDelayOnTheirWay) {
  for (const Duration late : {Duration(0ms), Duration(3ms), Duration(-2ms), Duration(20s)}) {
    const RevisionList busier = with([](Replica& web) { web.usage = Usage{{300}, {1}}; });
    read(one_service(), busier, 2s, late);
    EXPECT_EQ(start(second_), start(first_)) << "no app was restarted";
    EXPECT_EQ(replicas(second_)[1], replicas(first_)[1]) << "the same object, not an equal one";
    EXPECT_EQ(replicas(second_)[0]->usage->cpu, Millicores{300});
  }
}

TEST_F(TwoLists, ShareAnUnchangedRevision) {
  read(one_service(), one_service(), 2s, 3ms);
  EXPECT_EQ(*second_.begin(), *first_.begin()) << "the same object, not an equal one";
}

TEST_F(TwoLists, AddAStepThatHappenedBetweenThemAndKeepTheOthers) {
  const RevisionList starting = with([](Replica& web) { web.start.ready.reset(); });
  read(starting, one_service(), 2s, 3ms);
  EXPECT_EQ(start(second_).ordered, start(first_).ordered);
  EXPECT_EQ(start(second_).process_started, start(first_).process_started);
  EXPECT_EQ(start(second_).ready, kReceived - 9688ms) << "relative to the other times";
}

TEST_F(TwoLists, ShowThatAReplicaBecameReadyAgain) {
  const RevisionList again = with([](Replica& web) { web.start.ready = kSent + 1ms; });
  read(one_service(), again, 2s, 3ms);
  EXPECT_EQ(start(second_).ordered, start(first_).ordered);
  EXPECT_EQ(start(second_).ready, kReceived + 1ms);
}

TEST_F(TwoLists, GiveTheTimesOfANewStartByTheClockOfTheReader) {
  const StartTimes begun{kSent + 1s, kSent + 1100ms, std::nullopt};
  const auto restarted = [&](int restarts) {
    return with([&](Replica& web) {
      web.start = begun;
      web.restarts = restarts;
    });
  };
  read(one_service(), restarted(3), 2s, 3ms);
  EXPECT_EQ(start(second_).ordered, kReceived + 1003ms) << "of an app that was restarted";
  const RevisionList old = with([](Replica& web) { web.start.ordered = kSent - 1h; });
  read(old, restarted(2), 2s, 3ms);
  EXPECT_EQ(start(second_).ordered, kReceived + 1003ms) << "of another replica of that name";
}

TEST(ListJson, HasEachStateOfARevision) {
  for (const RevisionState state :
       {RevisionState::kActive, RevisionState::kPaused, RevisionState::kRetired}) {
    Revision web = web_service();
    web.state = state;
    const auto read = parse_list(list_json(list_of({web}), kSent), kSent);
    ASSERT_TRUE(read.has_value()) << to_string(read.error());
    EXPECT_EQ(read->revisions[0]->state, state);
  }
}

TEST(ListJson, HasTheUnitsInItsKeys) {
  const std::string json = list_json(one_service(), kSent);
  EXPECT_THAT(json, HasSubstr(R"("cpu_millicores":250)"));
  EXPECT_THAT(json, HasSubstr(R"("memory_bytes":12345678)"));
  EXPECT_THAT(json, HasSubstr(R"("ordered_age_ms":)"));
  EXPECT_THAT(json, HasSubstr(R"("window":"30s")"));
}

TEST(ListOfANewerBellows, IsParsedWithoutItsNewFields) {
  const std::string json =
      R"({"version":1,"zone":"a","revisions":[{"name":"web","host":"","path_prefix":"",
          "settings":{"window":"20s","phase-of-moon":"full"},"requested":0,"retired":true,
          "trouble":"","replicas":[],"colour":"red"}]})";
  const Result<ReceivedList> read = parse_list(json, kSent);
  ASSERT_TRUE(read.has_value()) << to_string(read.error());
  EXPECT_EQ(read->revisions[0]->settings.window, 20s);
  EXPECT_TRUE(read->revisions[0]->is_retired());
}

TEST(ListThatIsMalformed, FailsWithTheNameOfTheField) {
  const auto error = [](std::string_view json) {
    const Result<ReceivedList> read = parse_list(json, kSent);
    return read ? std::string("accepted") : to_string(read.error());
  };
  EXPECT_THAT(error("[]"), HasSubstr("want a JSON object"));
  EXPECT_THAT(error("{"), HasSubstr("want one JSON object"));
  EXPECT_THAT(error(R"({"revisions":[]})"), HasSubstr("cluster.version"));
  EXPECT_THAT(error(R"({"version":-1,"revisions":[]})"), HasSubstr("cluster.version"));
  EXPECT_THAT(error(R"({"version":1,"revisions":7})"), HasSubstr("cluster.revisions"));
  EXPECT_THAT(error(R"({"version":1,"revisions":[{"name":"web"}]})"),
              HasSubstr("cluster.revisions[0].host"));
  std::string json = list_json(one_service(), kSent);
  const auto replaced = [&](std::string_view old, std::string_view fresh) {
    std::string changed = json;
    const std::size_t at = changed.find(old);
    if (at == std::string::npos) return std::string("not found: ") + std::string(old);
    return error(changed.replace(at, old.size(), fresh));
  };
  EXPECT_THAT(replaced(R"("phase":"ready")", R"("phase":"happy")"),
              HasSubstr("].phase: \"happy\""));
  EXPECT_THAT(replaced(R"("ordered_age_ms")", R"("was")"), HasSubstr("ordered_age_ms"));
  EXPECT_THAT(replaced("127.0.0.1:40001", "nowhere:port"), HasSubstr("nowhere:port"));
  EXPECT_THAT(replaced(R"("30s")", R"("30")"), HasSubstr("window"));
}

TEST(ScaleOrderJson, RoundTrips) {
  const ScaleOrder order{3, {PodName("web-2"), PodName("web-1")}, "load 31 over \"target\" 10"};
  const Result<ScaleOrder> read = parse_order(order_json(order));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->desired, 3);
  EXPECT_EQ(read->drain_first, order.drain_first);
  EXPECT_EQ(read->reason, order.reason);
  EXPECT_EQ(read->keep, std::vector<PodName>{});
}

TEST(ScaleOrderJson, NamesTheReplicasToKeep) {
  const ScaleOrder order{2, {}, "free", {PodName("web-3"), PodName("web-7")}};
  const Result<ScaleOrder> read = parse_order(order_json(order));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->keep, order.keep);
  const Result<ScaleOrder> older = parse_order(R"({"want":1,"drain_first":[],"reason":"free"})");
  ASSERT_TRUE(older.has_value()) << "an older autoscaler names none";
  EXPECT_FALSE(parse_order(R"({"want":1,"drain_first":[],"reason":"","keep":3})").has_value());
}

TEST(ScaleOrderThatIsInvalid, IsMalformed) {
  EXPECT_FALSE(parse_order(R"({"want":-1,"drain_first":[],"reason":""})").has_value());
  EXPECT_FALSE(parse_order(R"({"want":1e30,"drain_first":[],"reason":""})").has_value());
  EXPECT_FALSE(parse_order(R"({"want":1.5,"drain_first":[],"reason":""})").has_value());
  EXPECT_FALSE(parse_order(R"({"want":1,"drain_first":[7],"reason":""})").has_value());
  EXPECT_FALSE(parse_order(R"({"want":1,"drain_first":[]})").has_value());
}

TEST(ErrorJson, HasTheKindAndTheCause) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kSystem); ++i) {
    const Error error(static_cast<ErrorKind>(i), "revision web", "is retired");
    EXPECT_EQ(parse_error(error_json(error)).kind(), error.kind()) << to_string(error.kind());
  }
  const Error deep = Error(ErrorKind::kUnavailable, "cluster", "cannot be reached")
                         .caused_by(Error(ErrorKind::kRefused, "unix:/x", "connect"));
  EXPECT_EQ(to_string(parse_error(error_json(deep))),
            "cluster: cannot be reached (because unix:/x: connect)");
}

TEST(ErrorJson, OfOtherTextIsMalformed) {
  EXPECT_EQ(parse_error("<html>").kind(), ErrorKind::kMalformed);
  EXPECT_EQ(parse_error(R"({"kind":"sad","culprit":"","message":""})").kind(),
            ErrorKind::kMalformed);
}

RC_GTEST_PROP(ListJsonProperty, AnyTimeRoundTripsToTheNanosecond, ()) {
  const auto age = *rc::gen::inRange<std::int64_t>(0, 86'400'000'000'000);
  Revision web;
  web.id = RevisionId("web");
  Replica replica;
  replica.name = PodName("web-1");
  replica.start.ordered = kSent - Duration(age);
  web.replicas = next_replicas({replica}, {});
  const Result<ReceivedList> read = parse_list(list_json(list_of({web}), kSent), kSent);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read->revisions[0]->replicas[0] == replica);
}

}  // namespace
}  // namespace bellows::cluster
