#include "proxy/core/hsts.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace bellows::proxy {
namespace {

using std::chrono::seconds;

constexpr const char* kLine = "Strict-Transport-Security: max-age=3600\r\n";

/// What is sent with a response that has these lines.
std::string lines_with(seconds max_age, const std::string& own) {
  const std::string text = "HTTP/1.1 200 OK\r\n" + own + "\r\n";
  http::HeadParser parser;
  const auto head = std::make_unique<http::ResponseHead>();
  EXPECT_TRUE(parser.read(text, *head).is_complete());
  std::string lines = "X-A: b\r\n";
  append_hsts(max_age, head->fields, lines);
  return lines;
}

TEST(Hsts, IsAddedToAResponseThatHasNone) {
  EXPECT_EQ(lines_with(seconds(3600), ""), std::string("X-A: b\r\n") + kLine);
  EXPECT_EQ(lines_with(seconds(3600), "strict-transport-SECURITY: max-age=1\r\n"), "X-A: b\r\n");
  EXPECT_EQ(lines_with(seconds(0), ""), "X-A: b\r\n");
}

TEST(Hsts, IsAddedToALocalReplyThatHasNone) {
  for (const std::string own : {"", "Location: /x\r\n", "X-Strict-Transport-Security: x\r\n"}) {
    LocalReply reply;
    reply.extra_lines = own;
    append_hsts(seconds(3600), reply);
    EXPECT_EQ(reply.extra_lines, own + kLine);
    append_hsts(seconds(60), reply);
    EXPECT_EQ(reply.extra_lines, own + kLine);
  }
  LocalReply off;
  append_hsts(seconds(0), off);
  EXPECT_EQ(off.extra_lines, "");
}

}  // namespace
}  // namespace bellows::proxy
