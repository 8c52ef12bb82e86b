// Frames that leave together: libnghttp2 makes what follows a DATA frame in the same call, and the
// rest of the output buffer may be smaller than that.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

std::string chunk(const std::string& bytes) {
  std::array<char, 16> size{};
  (void)std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return size.data() + bytes + "\r\n";
}

struct Message {
  std::size_t body = 0;
  std::size_t trailers = 0;
  int streams = 1;
};

/// Bodies that leave less room in 64 KiB than the trailers need, and others beside them.
const std::vector<Message> kMessages = {
    {40'000, 8'000},  {50'000, 8'000},     {57'000, 8'000},  {58'000, 8'000},
    {60'000, 10},     {60'000, 8'000},     {64'000, 2'000},  {65'000, 600},
    {65'400, 100},    {65'400, 8'000},     {65'490, 10},     {65'535, 8'000},
    {20'000, 10, 20}, {20'000, 8'000, 20}, {16'384, 10, 40}, {16'384, 4'000, 40},
    {100, 8'000, 20}, {3'000, 3'000, 40},  {0, 8'000, 20},
};

std::string text_of(const Message& message, int number) {
  const std::string body(message.body, static_cast<char>('a' + number % 26));
  return (body.empty() ? "" : chunk(body)) + "0\r\nx-a: " + std::string(message.trailers, 'T') +
         "\r\n\r\n";
}

/// What arrives of chunks: the bytes, without how they were cut, and the trailers.
std::string joined(const std::string& chunks) {
  std::string all;
  std::size_t at = 0;
  while (at < chunks.size()) {
    const std::size_t end = chunks.find("\r\n", at);
    if (end == std::string::npos) return all + "<cut>";
    const std::size_t size = std::stoul(chunks.substr(at, end - at), nullptr, 16);
    if (size == 0) return all + chunks.substr(at);
    all += chunks.substr(end + 2, size);
    at = end + 2 + size + 2;
  }
  return all;
}

class Output : public testing::TestWithParam<Message> {
 protected:
  void SetUp() override {
    world_.limits.header_bytes = 64 * 1024;
    world_.start_both();
  }

  /// A slow reader: the window opens when all has been written. Reads every stream to its end.
  void expect_arrival(const std::vector<http::Connection*>& readers) {
    std::vector<std::string> got(readers.size());
    for (int turn = 0; turn < 200; ++turn) {
      world_.settle();
      for (std::size_t i = 0; i < readers.size(); ++i) got[i] += read_now(*readers[i]);
    }
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const std::size_t head = got[i].find("\r\n\r\n");
      ASSERT_NE(head, std::string::npos) << i;
      EXPECT_TRUE(joined(got[i].substr(head + 4)) ==
                  joined(text_of(GetParam(), static_cast<int>(i))))
          << "stream " << i << " of " << got[i].size() << " bytes";
    }
  }

  H2World world_;
};

TEST_P(Output, ResponsesWithTrailersArriveWhole) {
  std::vector<ConnectionPtr> callers;
  std::vector<http::Connection*> readers;
  for (int i = 0; i < GetParam().streams; ++i) {
    callers.push_back(world_.client->open_stream());
    callers.back()->try_write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    readers.push_back(callers.back().get());
  }
  world_.settle();
  ASSERT_EQ(world_.streams.size(), callers.size());
  for (int i = 0; i < GetParam().streams; ++i) {
    const std::string text =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + text_of(GetParam(), i);
    EXPECT_EQ(world_.streams[static_cast<std::size_t>(i)]->try_write(text).bytes, text.size());
  }
  expect_arrival(readers);
}

TEST_P(Output, RequestsWithTrailersArriveWhole) {
  std::vector<ConnectionPtr> callers;
  for (int i = 0; i < GetParam().streams; ++i) {
    callers.push_back(world_.client->open_stream());
    const std::string text =
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n" + text_of(GetParam(), i);
    EXPECT_EQ(callers.back()->try_write(text).bytes, text.size());
  }
  world_.settle();
  ASSERT_EQ(world_.streams.size(), callers.size());
  std::vector<http::Connection*> readers;
  for (const ConnectionPtr& stream : world_.streams) readers.push_back(stream.get());
  expect_arrival(readers);
}

INSTANTIATE_TEST_SUITE_P(All, Output, testing::ValuesIn(kMessages), [](const auto& test) {
  return std::to_string(test.param.streams) + "_of_" + std::to_string(test.param.body) + "_and_" +
         std::to_string(test.param.trailers);
});

}  // namespace
}  // namespace bellows::http2
