#include "recommender/service/checkpoint_file.hpp"

#include <gtest/gtest.h>
// rapidcheck needs gtest before it
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/recommender/service/mutated_text.hpp"

namespace bellows::recommender {
namespace {

const SavedWorkloads kTwo = {{RevisionId("web"), {{"hybrid", R"({"a":0.1})"}, {"vpa", "{}"}}},
                             {RevisionId("shop/db"), {{"hybrid", "{\"x\":\"\\\"\"}"}}}};

std::string error_of(const std::string& json) {
  const auto parsed = parse_checkpoint(json);
  return parsed ? "accepted" : to_string(parsed.error());
}

TEST(Checkpoint, ReadsBackAsItWasSaved) {
  const auto back = parse_checkpoint(checkpoint_json(kTwo));
  ASSERT_TRUE(back.has_value()) << to_string(back.error());
  EXPECT_EQ(*back, kTwo);
}

TEST(Checkpoint, NamesTheInvalidField) {
  EXPECT_EQ(error_of("half a fi"), "the whole of it: want one JSON object");
  EXPECT_EQ(error_of("{}"), "version: missing, want 1");
  EXPECT_EQ(error_of(R"({"version":2,"workloads":{}})"), "version: 2, want 1");
  EXPECT_EQ(error_of(R"({"version":1})"), "workloads: missing or wrong, want an object");
  EXPECT_EQ(error_of(R"({"version":1,"workloads":{"web":7}})"), "workloads.web: want an object");
  EXPECT_EQ(error_of(R"({"version":1,"workloads":{"web":{"vpa":7}}})"),
            "workloads.web.vpa: want the text of a policy's state");
}

TEST(CheckpointFile, IsEmptyIfItDoesNotExist) {
  const test::TemporaryFolder folder;
  const auto read = read_checkpoint(folder.path("none"));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->empty());
}

TEST(CheckpointFile, IsReplacedAtomicallyAndLeavesNoTemporaryFile) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("state");
  ASSERT_TRUE(write_checkpoint(path, {}).has_value());
  ASSERT_TRUE(write_checkpoint(path, kTwo).has_value());
  EXPECT_EQ(read_checkpoint(path).value(), kTwo);
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
}

TEST(CheckpointFile, AnInvalidOneIsReportedAndCanBeQuarantined) {
  const test::TemporaryFolder folder;
  const std::string path = folder.path("state");
  std::ofstream(path) << "{\"version\":9}";
  const auto read = read_checkpoint(path);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(to_string(read.error()), "checkpoint file " + path + ": version: 9, want 1");
  quarantine(path);
  EXPECT_TRUE(std::filesystem::exists(path + ".broken"));
  EXPECT_TRUE(read_checkpoint(path).has_value());
}

TEST(CheckpointFile, AMissingFolderIsReported) {
  const test::TemporaryFolder folder;
  const auto written = write_checkpoint(folder.path("no/state"), kTwo);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind(), ErrorKind::kNotFound);
}

RC_GTEST_PROP(Checkpoint, WithChangedBytesIsAnErrorOrReadsBackAsItWasRead, ()) {
  const auto parsed = parse_checkpoint(mutated(checkpoint_json(kTwo)));
  if (parsed) {
    const auto again = parse_checkpoint(checkpoint_json(*parsed));
    RC_ASSERT(again.has_value() && *again == *parsed);
  } else {
    RC_ASSERT(parsed.error().kind() == ErrorKind::kMalformed ||
              parsed.error().kind() == ErrorKind::kUnsupported);
    RC_ASSERT(!parsed.error().culprit().empty());
  }
}

}  // namespace
}  // namespace bellows::recommender
