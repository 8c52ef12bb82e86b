#include "activator/core/meanwhile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

http::RequestHead head_in(const std::string& text) {
  http::RequestHead head;
  http::HeadParser parser;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  return head;
}

bool gets_a_page(const std::string& method, const std::string& accept) {
  const std::string text = method + " / HTTP/1.1\r\nHost: x\r\n" +
                           (accept.empty() ? "" : "Accept: " + accept + "\r\n") + "\r\n";
  return takes_a_page(head_in(text));
}

TEST(WaitingPage, IsForBrowsersThatShowOne) {
  EXPECT_TRUE(gets_a_page("GET", "text/html,application/xhtml+xml,*/*;q=0.8"));
  EXPECT_TRUE(gets_a_page("GET", "application/json, Text/HTML;q=0.1"));
  EXPECT_TRUE(gets_a_page("GET", "text/html;level=1"));
  EXPECT_FALSE(gets_a_page("GET", "")) << "curl without Accept";
  EXPECT_FALSE(gets_a_page("GET", "*/*")) << "curl";
  EXPECT_FALSE(gets_a_page("GET", "application/json"));
  EXPECT_FALSE(gets_a_page("GET", "text/html;q=0.0"));
  EXPECT_FALSE(gets_a_page("POST", "text/html"));
  EXPECT_FALSE(gets_a_page("HEAD", "text/html"));
}

TEST(LastStart, IsOfTheProcessThatBecameReadyLast) {
  using std::chrono::seconds;
  LastStart start;
  EXPECT_EQ(start.time(), std::nullopt);
  const TimePoint begin{};
  start.note({.name = PodName("web-1"),
              .address = {},
              .ordered = begin,
              .process_started = begin + seconds(3600),  // it crashed after an hour
              .ready = begin + seconds(3602)});
  start.note(
      {.name = PodName("web-2"), .address = {}, .ordered = begin, .ready = begin + seconds(12)});
  EXPECT_EQ(start.time(), seconds(2));
}

TEST(WaitingPage, SaysWhatHappensAndReloadsItself) {
  const RevisionId web("web");
  const std::string first = built_in_page(web, false, std::nullopt);
  EXPECT_THAT(first, HasSubstr("<h1>web is starting</h1>"));
  EXPECT_THAT(first, Not(HasSubstr("usually")));
  EXPECT_THAT(built_in_page(web, false, std::chrono::milliseconds(12'400)),
              HasSubstr("It usually takes 12 s."));
  EXPECT_THAT(built_in_page(web, false, std::chrono::milliseconds(400)), Not(HasSubstr("usually")));
  const std::string failing = built_in_page(web, true, std::chrono::seconds(12));
  EXPECT_THAT(failing, HasSubstr("web does not start at present"));
  EXPECT_THAT(failing, Not(HasSubstr("usually")));
  const proxy::LocalReply reply = waiting_page_reply("<p>");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.retry_after_seconds, 2);
  EXPECT_THAT(reply.extra_lines, HasSubstr("Refresh: 2\r\n"));
  EXPECT_THAT(reply.extra_lines, HasSubstr("Cache-Control: no-store\r\n"));
}

TEST(StaticAnswer, IsOfAWholePathWithoutItsQuery) {
  const std::vector<config::StaticAnswer> answers = {
      {.path = "/healthz", .status = 200, .body = "ok", .header_lines = "X-A: 1\r\n"},
      {.path = "/gone", .status = 410, .body = {}, .header_lines = {}}};
  EXPECT_EQ(find_answer(answers, head_in("GET /healthz?x HTTP/1.1\r\nHost: x\r\n\r\n")),
            &answers[0]);
  EXPECT_EQ(find_answer(answers, head_in("GET /healthz/x HTTP/1.1\r\nHost: x\r\n\r\n")), nullptr);
  const proxy::LocalReply reply = static_reply(answers[0]);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "ok");
  EXPECT_EQ(reply.extra_lines, "X-A: 1\r\n");
  EXPECT_EQ(reply.reason, "static");
}

}  // namespace
}  // namespace bellows::activator
