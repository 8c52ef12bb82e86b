#include "simulator/comparison.hpp"

#include <gtest/gtest.h>

#include "simulator/verdict.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999.6), "1 000");
  EXPECT_EQ(grouped(1234567), "1 234 567");
  EXPECT_EQ(grouped(-1234), "-1 234");
  EXPECT_EQ(grouped(-0.2), "0");
  EXPECT_EQ(grouped(1e20), "1e+20");
}

TEST(LoadText, KeepsTheDigitsOfASmallLoad) {
  EXPECT_EQ(load_text(0), "0");
  EXPECT_EQ(load_text(0.00123456), "0.00123");
  EXPECT_EQ(load_text(8.414), "8.41");
  EXPECT_EQ(load_text(10.4), "10");
  EXPECT_EQ(load_text(12345), "12 345");
}

Comparison small() {
  Comparison comparison;
  comparison.trace = "day \"one\".csv";
  comparison.oracle.policy = "oracle";
  comparison.oracle.offered_replica_seconds = 200;
  comparison.oracle.length = 60s;
  Outcome outcome;
  outcome.policy = "bellows";
  outcome.offered_replica_seconds = 200;
  outcome.replica_seconds = 300;
  outcome.waits.p99 = 1500ms;
  comparison.outcomes.push_back(outcome);
  return comparison;
}

TEST(ComparisonRows, HaveOneRowPerPolicyThenTheTwoBounds) {
  const auto rows = comparison_rows(small());
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) EXPECT_EQ(row.size(), comparison_columns().size());
  EXPECT_EQ(rows[0][0], "bellows");
  EXPECT_EQ(rows[0][3], "1.50s");
  EXPECT_EQ(rows[0][9], "100");
  EXPECT_EQ(rows[0][10], "50%");
  EXPECT_EQ(rows[1][0], "oracle");
  EXPECT_EQ(rows[2][0], "the load itself");
  EXPECT_EQ(rows[2][8], "200");
}

TEST(Verdict, PutsTheFirstPolicyBesideTheOthers) {
  Comparison comparison = small();
  comparison.outcomes[0].waits.worst = 7ms;
  EXPECT_EQ(
      verdict(comparison),
      "bellows: waste of 50% of the load, nobody waits longer than 7.00ms, no request is lost");
  Outcome knative = comparison.outcomes[0];
  knative.policy = "knative";
  knative.replica_seconds = 432;
  knative.waits.worst = 2s;
  comparison.outcomes.push_back(knative);
  EXPECT_EQ(
      verdict(comparison),
      "bellows: 0.431 of knative's waste, nobody waits longer than 7.00ms (knative: 2.00s), no "
      "request is lost");
  comparison.outcomes[1].rejected = 3;
  comparison.outcomes[0].waits.worst = 0ms;
  EXPECT_EQ(verdict(comparison),
            "bellows: 0.431 of knative's waste, nobody waits (knative: 2.00s), no request is lost "
            "(knative: 3)");
}

TEST(Verdict, WithoutAWasteNamesBothNumbers) {
  Comparison comparison = small();
  Outcome other = comparison.outcomes[0];
  other.policy = "other";
  other.replica_seconds = 150;
  comparison.outcomes.push_back(other);
  EXPECT_TRUE(
      verdict(comparison).starts_with("bellows: 100 replica-seconds of waste (other: -50), "))
      << verdict(comparison);
  EXPECT_EQ(verdict(Comparison()), "");
}

TEST(ComparisonJson, HasEveryFieldAndEscapesNames) {
  const std::string json = comparison_json(small());
  EXPECT_TRUE(json.starts_with("{\"version\":1,\"trace\":\"day \\\"one\\\".csv\","));
  EXPECT_NE(json.find("\"p99\":1.5,"), std::string::npos);
  EXPECT_NE(json.find("\"replica_seconds\":300,\"waste_replica_seconds\":100,"), std::string::npos);
  EXPECT_NE(json.find("\"slots\":1,\"full_by\":\"limit\","), std::string::npos);
  EXPECT_TRUE(json.ends_with("}}\n"));
}

Outcome outcome_of(std::string policy, double replica_seconds, Duration p99,
                   std::uint64_t lost = 0) {
  Outcome outcome;
  outcome.policy = std::move(policy);
  outcome.replica_seconds = replica_seconds;
  outcome.waits.p99 = p99;
  outcome.rejected = lost;
  return outcome;
}

TEST(Cheapest, ItKeepsTheWaitingAndLosesNoMore) {
  using std::chrono::milliseconds;
  Comparison comparison;
  EXPECT_EQ(cheapest_text(comparison), "");
  comparison.outcomes = {
      outcome_of("knative", 1300, milliseconds(0)), outcome_of("bellows", 1200, milliseconds(4)),
      outcome_of("slow", 600, milliseconds(40)), outcome_of("losing", 500, milliseconds(0), 3)};
  EXPECT_EQ(
      cheapest_text(comparison),
      "Cheapest that keeps the waiting: bellows, 1 200 replica-seconds (knative: 1 300, slow: "
      "600, losing: 500), p99 wait 4.00ms (knative: 0, slow: 40.0ms, losing: 0)");
}

}  // namespace
}  // namespace bellows::simulator
