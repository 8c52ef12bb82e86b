#include <gtest/gtest.h>

#include <set>

#include "base/timestamp_text.hpp"
#include "json/writer.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/event.hpp"
#include "kubernetes/core/event_aggregator.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;

const WallTime kStart = *parse_timestamp("2026-11-20T09:00:00Z");

Condition ready(ConditionStatus status, std::string message) {
  return {.type = "Ready", .status = status, .reason = "X", .message = std::move(message)};
}

TEST(Conditions, TheTransitionTimeMovesWithTheStatusOnly) {
  std::vector<Condition> conditions;
  EXPECT_TRUE(merge_condition(conditions, ready(ConditionStatus::kFalse, "a"), kStart));
  EXPECT_FALSE(merge_condition(conditions, ready(ConditionStatus::kFalse, "a"), kStart + 1s));
  EXPECT_TRUE(merge_condition(conditions, ready(ConditionStatus::kFalse, "b"), kStart + 2s));
  EXPECT_EQ(conditions.at(0).last_transition, kStart);
  EXPECT_TRUE(merge_condition(conditions, ready(ConditionStatus::kTrue, "b"), kStart + 3s));
  EXPECT_EQ(conditions.at(0).last_transition, kStart + 3s);
  EXPECT_EQ(conditions.size(), 1U);
}

TEST(Conditions, AreWrittenAsTheApiWantsThem) {
  std::vector<Condition> conditions;
  Condition condition = ready(ConditionStatus::kUnknown, "say \"why\"");
  condition.observed_generation = 3;
  merge_condition(conditions, condition, kStart);
  json::Writer writer;
  write_conditions(writer, conditions);
  EXPECT_EQ(writer.end(),
            json_of("{'conditions':[{'type':'Ready','status':'Unknown','reason':'X','message':") +
                R"("say \"why\"")" +
                json_of(",'lastTransitionTime':'2026-11-20T09:00:00Z','observedGeneration':3}]}"));
}

/// Events about shop/web, a second apart.
class EventAggregatorTest : public testing::Test {
 protected:
  EventAggregator::Write happens(std::string message, Duration after = 1s) {
    now_ += after;
    Event event;
    event.object = {
        .api_version = "apps/v1", .kind = "Deployment", .ns = "shop", .name = "web", .uid = "u"};
    event.type = "Normal";
    event.reason = "SuccessfulRescale";
    event.message = std::move(message);
    event.component = "bellows";
    return aggregator_.add(event, now_, kStart + now_.time_since_epoch());
  }

  EventAggregator aggregator_;
  TimePoint now_{};
};

TEST_F(EventAggregatorTest, EqualEventsAreCountedInOne) {
  const auto first = happens("2 to 4");
  EXPECT_TRUE(first.is_new);
  const auto second = happens("2 to 4");
  EXPECT_FALSE(second.is_new);
  EXPECT_EQ(second.event.meta.name, first.event.meta.name);
  EXPECT_EQ(second.event.count, 2);
  EXPECT_EQ(second.patch, json_of("{'count':2,'lastTimestamp':'2026-11-20T09:00:02Z',"
                                  "'message':'2 to 4'}"));
  EXPECT_TRUE(happens("4 to 2").is_new);
}

TEST_F(EventAggregatorTest, ManyDifferentMessagesBecomeOneEvent) {
  int written = 0;
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) {
    const auto write = happens("to " + std::to_string(i));
    written += write.is_new ? 1 : 0;
    names.insert(write.event.meta.name);
  }
  EXPECT_EQ(written, EventAggregator::kMaxMessages + 1);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(EventAggregator::kMaxMessages) + 1);
}

TEST_F(EventAggregatorTest, AfterAWindowItIsANewEventAndMemoryIsBounded) {
  happens("x");
  EXPECT_TRUE(happens("x", 11min).is_new);
  for (int i = 0; i < 100; ++i) happens(std::to_string(i), 2min);
  EXPECT_LE(aggregator_.size(), 10U);
}

TEST_F(EventAggregatorTest, AnEventThatIsGoneIsWrittenAnew) {
  const auto first = happens("x");
  aggregator_.forget(first.event.meta.name);
  const auto again = happens("x");
  EXPECT_TRUE(again.is_new);
  EXPECT_NE(again.event.meta.name, first.event.meta.name);
}

TEST_F(EventAggregatorTest, EventsOfOneInstantHaveNamesOfTheirOwn) {
  EXPECT_NE(happens("a", 0s).event.meta.name, happens("b", 0s).event.meta.name);
}

TEST_F(EventAggregatorTest, TheBodyIsReadBack) {
  const auto write = happens("2 to 4");
  const auto read = read_object<Event>(event_json(write.event));
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_EQ(*read, write.event);
}

}  // namespace
}  // namespace bellows::kubernetes
