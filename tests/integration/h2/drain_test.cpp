// The end of connections of HTTP/2: what was written before it arrives.
#include <gtest/gtest.h>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

class Drain : public testing::Test {
 protected:
  H2World world_;
};

/// A server that ends closes its connection, although the client has something to write.
TEST_F(Drain, ResponsesThatCameBeforeAWriteFailedAreRead) {
  constexpr int kStreams = 8;  // more than is read in one turn
  world_.start_raw_client();
  std::vector<ConnectionPtr> callers;
  for (int i = 0; i < kStreams; ++i) {
    callers.push_back(world_.client->open_stream());
    callers.back()->try_write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  }
  world_.say(frame(test::kSettings, 0, 0));
  std::string responses = frame(test::kPing, 0, 0, number(0, 8));
  for (int i = 0; i < kStreams; ++i) {
    responses += headers(id(i), {{":status", "200"}}, false);
    for (int part = 0; part < 4; ++part) {
      const std::uint8_t flags = part == 3 ? test::kEndStream : 0;
      responses += frame(test::kData, flags, id(i), std::string(16'000, 'x'));
    }
  }
  world_.raw->try_write(responses);
  world_.raw->close();
  world_.settle();
  EXPECT_TRUE(world_.client->has_ended());
  for (const ConnectionPtr& caller : callers) {
    EXPECT_FALSE(caller->was_reset());
    EXPECT_GT(read_now(*caller).size(), 64'000U);
  }
}

}  // namespace
}  // namespace bellows::http2
