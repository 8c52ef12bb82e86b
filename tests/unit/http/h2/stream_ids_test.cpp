#include "http/h2/core/stream_ids.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellows::http2 {
namespace {

struct Row {
  const char* what;
  std::vector<std::int32_t> before;
  std::int32_t next;
  bool is_in_order;
};

TEST(StreamIds, GoBackToNoneThatWasLeftOut) {
  const std::vector<Row> rows = {
      {"the first", {}, 1, true},
      {"a later one at first", {}, 13, true},
      {"the next one", {1, 3}, 5, true},
      {"trailers", {1, 3, 5}, 3, true},
      {"the latest again", {1, 3, 5}, 5, true},
      {"one that was left out", {1, 5}, 3, false},
      {"one before the first", {13}, 11, false},
      {"the very first", {13}, 1, false},
      {"within a large gap", {1, 1001}, 501, false},
      {"the end of a gap", {1, 1001}, 999, false},
      {"the begin of a gap", {1, 1001}, 3, false},
      {"before a gap", {1, 1001}, 1, true},
      {"the highest of all", {1}, 0x7fffffff, true},
      {"one of four gaps", {3, 7, 11, 15}, 1, false},
      {"a gap that is too long ago", {3, 7, 11, 15, 19}, 1, true},
  };
  for (const Row& row : rows) {
    StreamIds ids;
    for (const std::int32_t id : row.before) EXPECT_TRUE(ids.note(id)) << row.what;
    EXPECT_EQ(ids.note(row.next), row.is_in_order) << row.what;
  }
}

}  // namespace
}  // namespace bellows::http2
