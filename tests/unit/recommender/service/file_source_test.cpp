#include "recommender/service/file_source.hpp"

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/recommender/service/mutated_text.hpp"

namespace bellows::recommender {
namespace {

std::vector<Observation> parsed(const std::string& line) {
  const auto seen = parse_usage_line(line, 1);
  EXPECT_TRUE(seen.has_value()) << to_string(seen.error());
  return seen.value_or(std::vector<Observation>());
}

std::string line_error(const std::string& line) {
  const auto seen = parse_usage_line(line, 7);
  return seen ? "accepted" : to_string(seen.error());
}

TEST(UsageLine, MayHaveCpuAndMemory) {
  const auto seen = parsed(
      R"({"at":60,"workload":"web","pod":"web-3","container":"app","cpu-cores":0.25,"memory-bytes":1024})");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].workload, RevisionId("web"));
  EXPECT_EQ(seen[0].replica, PodName("web-3"));
  EXPECT_EQ(seen[0].at, replay_time(60));
  EXPECT_EQ(std::get<Usage>(seen[0].what).amount, 0.25);
  EXPECT_EQ(std::get<Usage>(seen[1].what).resource, Resource::kMemory);
}

TEST(UsageLine, KnowsRequestsAndEvents) {
  const auto request =
      parsed(R"({"at":1,"container":"c","request":{"cpu-cores":0.1,"memory-bytes":100}})");
  EXPECT_EQ(std::get<Request>(request.at(0).what), (Request{Millicores{100}, Bytes{100}}));
  const auto oom = parsed(R"({"at":1,"container":"c","event":"oom","memory-bytes":100})");
  EXPECT_EQ(std::get<OomKilled>(std::get<Event>(oom.at(0).what).what).memory, Bytes{100});
  const auto loop = parsed(R"({"at":1,"container":"c","event":"crash-loop","active":true})");
  EXPECT_TRUE(std::get<CrashLoop>(std::get<Event>(loop.at(0).what).what).active);
  const auto start = parsed(R"({"at":1,"container":"c","event":"start"})");
  EXPECT_TRUE(std::holds_alternative<Started>(std::get<Event>(start.at(0).what).what));
}

TEST(UsageLine, WhatTellsNothingOfAContainerIsPassedOver) {
  EXPECT_TRUE(parsed(R"({"at":80,"recommend":true})").empty());
  EXPECT_TRUE(parsed(R"({"config":{"policy":"vpa"}})").empty());
}

TEST(UsageLine, SaysWhatIsWrongAndWhere) {
  EXPECT_NE(line_error("{").find("line 7"), std::string::npos);
  EXPECT_NE(line_error(R"({"at":1,"container":"c"})").find("cpu-cores"), std::string::npos);
  EXPECT_NE(line_error(R"({"at":1,"container":"c","cpu-cores":-1})").find("-1"), std::string::npos);
  EXPECT_NE(line_error(R"({"at":1,"container":"c","event":"boom"})").find("boom"),
            std::string::npos);
}

class FileSourceTest : public testing::Test {
 protected:
  void append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  Result<std::vector<Observation>> read() {
    return test::run_task<Result<std::vector<Observation>>>(
        io_, [&] { return source_.read(WallTime()); });
  }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_.path("usage.jsonl");
  FileSource source_{path_};
  http::net::io_context io_;
};

TEST_F(FileSourceTest, WhatIsAppendedIsReadByTheNextCallAndHalfALineWaits) {
  append("{\"at\":1,\"container\":\"c\",\"cpu-cores\":1}\n{\"at\":2,\"contai");
  EXPECT_EQ(read().value().size(), 1u);
  EXPECT_EQ(read().value().size(), 0u);
  append("ner\":\"c\",\"cpu-cores\":2}\n");
  EXPECT_EQ(read().value().size(), 1u);
}

TEST_F(FileSourceTest, ABadLineIsNamedAndThoseAroundItCount) {
  append(
      "{\"at\":1,\"container\":\"c\",\"cpu-cores\":1}\nnonsense\n"
      "{\"at\":3,\"container\":\"c\",\"cpu-cores\":3}\n");
  const auto first = read();
  ASSERT_FALSE(first.has_value());
  EXPECT_NE(to_string(first.error()).find("line 2"), std::string::npos);
  EXPECT_NE(to_string(first.error()).find(path_), std::string::npos);
  EXPECT_EQ(read().value().size(), 2u);
}

TEST_F(FileSourceTest, AFileThatIsNotThereIsNamed) {
  const auto seen = read();
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().culprit(), "file " + path_);
}

TEST_F(FileSourceTest, AFileThatWasCutOffIsNamedOnceAndReadFromItsStart) {
  append(
      "{\"at\":1,\"container\":\"c\",\"cpu-cores\":1}\n{\"at\":2,\"container\":\"c\",\"cpu-cores\":"
      "2}\n");
  EXPECT_EQ(read().value().size(), 2u);
  std::filesystem::resize_file(path_, 7);
  const auto cut = read();
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(to_string(cut.error()),
            "file " + path_ +
                ": it has 7 bytes, want no less than the 78 that were read: it was cut off, and is "
                "read from its start from now on");
  EXPECT_EQ(read().value().size(), 0u) << "half a line waits";
  std::filesystem::resize_file(path_, 0);
  append("{\"at\":3,\"container\":\"c\",\"cpu-cores\":3}\nnonsense\n");
  const auto bad = read();
  ASSERT_FALSE(bad.has_value());
  EXPECT_NE(to_string(bad.error()).find("line 2"), std::string::npos) << "lines count anew";
  EXPECT_EQ(read().value().size(), 1u);
}

RC_GTEST_PROP(UsageLine, WithChangedBytesIsAnErrorOrHasValidUsage, ()) {
  const std::string text = mutated(
      R"({"at":60,"workload":"web","pod":"web-3","container":"app","cpu-cores":0.25,"memory-bytes":1024})");
  const auto found = parse_usage_line(text, 1);
  if (!found) {
    RC_ASSERT(found.error().kind() == ErrorKind::kMalformed);
    RC_ASSERT(to_string(found.error()).starts_with("line 1"));
    return;
  }
  for (const Observation& each : *found) {
    const auto* usage = std::get_if<Usage>(&each.what);
    if (usage == nullptr) continue;
    RC_ASSERT(usage->amount >= 0 && usage->amount <= 1e14);
    RC_ASSERT(usage->at == each.at);
  }
}

}  // namespace
}  // namespace bellows::recommender
