#include "proxy/core/access_line.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

AccessRecord record() {
  AccessRecord made;
  made.ended = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21)) +
               std::chrono::hours(8) + milliseconds(199'004);
  made.service = "web";
  made.method = "POST";
  made.host = "web.example";
  made.url = "/orders?id=1";
  made.status = 201;
  made.request_bytes = 12;
  made.response_bytes = 3456;
  made.user_agent = "curl/8.0";
  made.referer = "https://example/";
  made.remote_ip = "127.0.0.1";
  made.server_ip = "127.0.0.1:40001";
  made.replica = "web-1";
  made.retries = 1;
  made.queued = milliseconds(1500);
  made.latency = microseconds(1'501'250);
  made.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
  return made;
}

std::string line(std::string_view text, const AccessRecord& of) {
  std::string out;
  AccessLine(text).append(of, out);
  return out;
}

TEST(AccessLine, IsJsonWithEveryFieldByDefault) {
  EXPECT_EQ(
      line("", record()),
      R"({"time":"2026-11-21T08:03:19.004Z","service":"web","revision":"","method":"POST",)"
      R"("host":"web.example","url":"/orders?id=1","protocol":"HTTP/1.1","status":201,)"
      R"("request_bytes":12,"response_bytes":3456,"user_agent":"curl/8.0",)"
      R"("referer":"https://example/","remote_ip":"127.0.0.1",)"
      R"("server_ip":"127.0.0.1:40001","replica":"web-1","retries":1,"queue_ms":1500.000,)"
      R"("latency_ms":1501.250,"trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","request_id":"","error":"","grpc_status":""})"
      "\n");
}

TEST(AccessLine, FollowsTheTemplate) {
  EXPECT_EQ(line("${remote_ip} \"${method} ${url}\" ${status}", record()),
            "127.0.0.1 \"POST /orders?id=1\" 201\n");
}

TEST(AccessLine, CannotBeForgedByACaller) {
  AccessRecord evil = record();
  evil.user_agent = "a\"},\n{\"status\":500,\"x\":\"\\\xff\x01";
  EXPECT_EQ(line("\"${user_agent}\"", evil), R"("a\"},\n{\"status\":500,\"x\":\"\\\u00ff\u0001")"
                                             "\n");
}

TEST(AccessLine, KeepsUtf8AndEscapesOtherBytesOneByOne) {
  AccessRecord named = record();
  for (const auto& [agent, written] : std::vector<std::pair<std::string, std::string>>{
           {"K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x98\x80",
            "K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x98\x80"},
           {"cut \xe2\x82", "cut \\u00e2\\u0082"},
           {"overlong \xc0\xaf \xe0\x80\xaf", "overlong \\u00c0\\u00af \\u00e0\\u0080\\u00af"},
           {"surrogate \xed\xa0\x80", "surrogate \\u00ed\\u00a0\\u0080"},
           {"lone \x80 \xff", "lone \\u0080 \\u00ff"},
           {"rubout \x7f", "rubout \\u007f"}}) {
    named.user_agent = agent;
    EXPECT_EQ(line("${user_agent}", named), written + "\n");
  }
}

TEST(AccessLine, OfACallerWhoLeftHasStatus0AndSaysWhy) {
  AccessRecord left;
  left.error = "cancelled";
  EXPECT_EQ(line("${status} ${error} ${replica}.", left), "0 cancelled .\n");
}

TEST(Rfc3339, IsUtcWithMilliseconds) {
  EXPECT_EQ(rfc3339(WallTime()), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace bellows::proxy
