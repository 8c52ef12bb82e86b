#include "proxy/core/span.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/object.hpp"

namespace bellows::proxy {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

Span request() {
  Span span;
  span.trace = {.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736};
  span.id = SpanId{0xb7ad6b7169203331};
  span.parent = SpanId{0x00f067aa0ba902b7};
  span.trace_state = "a=1,b=2";
  span.ended = WallTime(std::chrono::sys_days(std::chrono::year(2026) / 11 / 23));
  span.began = span.ended - microseconds(1500);
  span.method = "GET";
  span.host = "web.example";
  span.path = "/a";
  span.client = "192.0.2.9";
  span.status = 200;
  span.service = "web";
  span.replica = "web-1";
  span.response_bytes = 12;
  span.retries = 1;
  span.queued = microseconds(250);
  return span;
}

std::string text(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":{"stringValue":")" + value + R"("}})";
}
std::string integer(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":{"intValue":")" + value + R"("}})";
}
std::string number(const std::string& key, const std::string& value) {
  return R"({"key":")" + key + R"(","value":{"doubleValue":)" + value + "}}";
}

TEST(SpanJson, HasTheFieldsOfTheProtocol) {
  EXPECT_EQ(
      span_json(request()),
      R"({"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"b7ad6b7169203331",)"
      R"("parentSpanId":"00f067aa0ba902b7","traceState":"a=1,b=2","name":"GET","kind":2,)"
      R"("startTimeUnixNano":"1795391999998500000","endTimeUnixNano":"1795392000000000000",)"
      R"("attributes":[)" +
          text("http.request.method", "GET") + "," + text("url.scheme", "http") + "," +
          text("url.path", "/a") + "," + text("server.address", "web.example") + "," +
          text("client.address", "192.0.2.9") + "," + text("network.protocol.version", "1.1") +
          "," + integer("http.response.status_code", "200") + "," +
          integer("http.request.body.size", "0") + "," + integer("http.response.body.size", "12") +
          "," + text("bellows.service", "web") + "," + text("bellows.replica", "web-1") + "," +
          integer("bellows.retries", "1") + "," + number("bellows.queue_ms", "0.25") + "]}");
}

TEST(SpanJson, HasThePartsOfAColdStart) {
  const std::vector<TimePart> parts = {{"cold_start.ordered", milliseconds(2)},
                                       {"cold_start.ready", milliseconds(812)}};
  Span span = request();
  span.parts = parts;
  EXPECT_NE(span_json(span).find(number("bellows.cold_start.ordered_ms", "2") + "," +
                                 number("bellows.cold_start.ready_ms", "812")),
            std::string::npos)
      << span_json(span);
}

TEST(SpanJson, OfATraceThatBeginsHereHasNoParent) {
  Span span = request();
  span.parent = {};
  span.trace_state = {};
  EXPECT_EQ(span_json(span).find("parentSpanId"), std::string::npos);
  EXPECT_EQ(span_json(span).find("traceState"), std::string::npos);
}

TEST(SpanJson, IsAnErrorFrom500OnAndSaysWhich) {
  Span span = request();
  span.status = 404;
  EXPECT_EQ(span_json(span).find(R"("status":)"), std::string::npos);
  span.status = 503;
  span.error = "refused";
  EXPECT_TRUE(span_json(span).ends_with(R"(],"status":{"code":2}})")) << span_json(span);
  EXPECT_NE(span_json(span).find(text("error.type", "refused")), std::string::npos);
  span.status = 0;  // the caller left
  EXPECT_EQ(span_json(span).find("status_code"), std::string::npos);
}

TEST(SpanJson, IsNotNamedByCallersWhoInventMethods) {
  Span span = request();
  span.method = "PURGE-7";
  const std::string json = span_json(span);
  EXPECT_NE(json.find(R"("name":"HTTP")"), std::string::npos) << json;
  EXPECT_NE(json.find(text("http.request.method", "_OTHER") + "," +
                      text("http.request.method_original", "PURGE-7")),
            std::string::npos)
      << json;
}

TEST(SpanJson, IsJsonWhateverCallersSend) {
  Span span = request();
  span.path = "/\"\\\x01\xff";
  span.host = std::string_view("a\0b", 3);
  const std::string long_state(5000, 'x');
  span.trace_state = long_state;
  const std::string json = span_json(span);
  EXPECT_TRUE(json::parse(json)) << json;
  EXPECT_LT(json.size(), 4000U);
}

TEST(ExportBody, HasTheSpansOfOneSource) {
  const std::string body =
      export_body({.service = "bellows-activator", .instance = "a-1"}, R"({"x":1},{"x":2})");
  EXPECT_EQ(body.find(R"({"resourceSpans":[{"resource":{"attributes":[)" +
                      text("service.name", "bellows-activator") + "," +
                      text("service.instance.id", "a-1") + ","),
            0U)
      << body;
  EXPECT_NE(body.find(R"("scopeSpans":[{"scope":{"name":"bellows",)"), std::string::npos) << body;
  EXPECT_TRUE(body.ends_with(R"("spans":[{"x":1},{"x":2}]}]}]})")) << body;
  EXPECT_TRUE(json::parse(body));
}

TEST(RejectedSpans, AreReadFromThePartialSuccess) {
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"x"}})"), 3U);
  EXPECT_EQ(rejected_spans(R"({"partialSuccess":{"rejectedSpans":2}})"), 2U);
  for (const char* none : {"", "{}", "ok", R"({"partialSuccess":{}})", R"({"partialSuccess":7})",
                           R"({"partialSuccess":{"rejectedSpans":"-1"}})",
                           R"({"partialSuccess":{"rejectedSpans":[]}})"}) {
    EXPECT_EQ(rejected_spans(none), 0U) << none;
  }
}

}  // namespace
}  // namespace bellows::proxy
