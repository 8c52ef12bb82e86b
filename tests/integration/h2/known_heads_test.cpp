// Heads whose parts go along with their text: both ways of knowing a head agree, and where its
// parts are not known it is read.
#include <gtest/gtest.h>

#include "tests/integration/h2/h2_world.hpp"
#include "tests/support/head_parts.hpp"

namespace bellows::http2 {
namespace {

const std::string kPostText =
    "POST /a?b HTTP/1.1\r\nHost: h:1\r\nX-A: b\r\nContent-Length: 2\r\n\r\nab";
const std::string kOkText = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-A: b\r\n\r\nok";

/// Writes a message with the parts of its head.
template <class Head>
void write_with_parts(http::Connection& to, std::string message) {
  Head head;
  ASSERT_TRUE(http::HeadParser().read(message, head).is_complete());
  const iovec parts[2] = {{message.data(), head.size},
                          {message.data() + head.size, message.size() - head.size}};
  EXPECT_EQ(to.try_write_head(head, parts, parts[1].iov_len > 0 ? 2 : 1).bytes, message.size());
}

class KnownHeads : public testing::Test {
 protected:
  KnownHeads() { world_.start_both(); }

  http::Connection& begin(const std::string& request) {
    caller_ = world_.client->open_stream();
    write_with_parts<http::RequestHead>(*caller_, request);
    world_.settle();
    return *world_.streams.at(0);
  }

  H2World world_;
  ConnectionPtr caller_;
};

TEST_F(KnownHeads, TheirPartsAreWhatAReaderFinds) {
  http::Connection& app = begin(kPostText);
  const std::string request = read_now(app);
  EXPECT_EQ(request, "POST /a?b HTTP/1.1\r\nhost: h:1\r\nx-a: b\r\ncontent-length: 2\r\n\r\nab");
  http::RequestHead head;
  ASSERT_TRUE(app.take_head(request, {}, head));
  EXPECT_EQ(test::parts_of(head), test::parts_in<http::RequestHead>(request));
  EXPECT_FALSE(app.take_head(request, {}, head)) << "once";

  write_with_parts<http::ResponseHead>(app, kOkText);
  world_.settle();
  const std::string response = read_now(*caller_);
  EXPECT_EQ(response, "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n\r\nok");
  http::ResponseHead answer;
  ASSERT_TRUE(caller_->take_head(response, {}, answer));
  EXPECT_EQ(test::parts_of(answer), test::parts_in<http::ResponseHead>(response));
}

TEST_F(KnownHeads, AHeadThatIsNotWholeYetIsNotTaken) {
  http::Connection& app = begin(kPostText);
  const std::string request = read_now(app);
  const std::size_t size = request.size() - 2;
  http::RequestHead head;
  EXPECT_FALSE(app.take_head(std::string_view(request).substr(0, size - 1), {}, head));
  EXPECT_TRUE(app.take_head(std::string_view(request).substr(0, size), {}, head));
  EXPECT_EQ(head.size, size);
}

TEST_F(KnownHeads, AboveALimitItIsRead) {
  const http::HeadLimits few_fields{.fields = 2};
  const http::HeadLimits short_lines{.line = 15};
  const http::HeadLimits small{.total = 50};
  for (const http::HeadLimits& limits : {few_fields, short_lines, small}) {
    http::Connection& app = begin(kPostText);
    const std::string request = read_now(app);
    http::RequestHead head;
    EXPECT_FALSE(app.take_head(request, limits, head));
    EXPECT_TRUE(http::HeadParser(limits).read(request, head).is_fault());
    world_.streams.clear();
  }
}

TEST_F(KnownHeads, WhatFollowsAnInterimHeadIsRead) {
  http::Connection& app = begin(kPostText);
  read_now(app);
  app.try_write(std::string_view("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"));
  write_with_parts<http::ResponseHead>(app, kOkText);
  world_.settle();
  const std::string response = read_now(*caller_);
  http::ResponseHead head;
  EXPECT_FALSE(caller_->take_head(response, {}, head));
  EXPECT_EQ(response,
            "HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n"
            "HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 2\r\n\r\nok");
}

TEST_F(KnownHeads, AResponseToHeadHasNoBody) {
  http::Connection& app = begin("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
  read_now(app);
  write_with_parts<http::ResponseHead>(app, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
  world_.settle();
  EXPECT_EQ(read_now(*caller_), "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n");
  EXPECT_EQ(read_kind(*caller_), Kind::kEnd);
}

TEST_F(KnownHeads, AStreamThatIsGoneTakesAndGivesNone) {
  http::Connection& app = begin(kPostText);
  const std::string request = read_now(app);
  world_.server->close();
  world_.settle();
  world_.server.reset();
  http::RequestHead head;
  EXPECT_FALSE(app.take_head(request, {}, head));
  http::ResponseHead answer;
  ASSERT_TRUE(http::HeadParser().read(kOkText, answer).is_complete());
  std::string bytes = kOkText;
  const iovec part{bytes.data(), answer.size};
  EXPECT_EQ(app.try_write_head(answer, &part, 1).kind, Kind::kFailed);
}

}  // namespace
}  // namespace bellows::http2
