#include "proxy/core/response_plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::proxy {
namespace {

constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr const char* kOldGet = "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n";
constexpr const char* kLength = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
constexpr const char* kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr const char* kUntilClose = "HTTP/1.1 200 OK\r\n\r\n";
constexpr const char* kOldUntilClose = "HTTP/1.0 200 OK\r\n\r\n";

/// Two heads, whose texts stay valid.
struct Heads {
  Heads(const char* request_text, const char* response_text)
      : request_bytes(request_text), response_bytes(response_text) {
    http::HeadParser request_parser;
    EXPECT_TRUE(request_parser.read(request_bytes, request).is_complete());
    http::HeadParser response_parser;
    EXPECT_TRUE(response_parser.read(response_bytes, response).is_complete());
  }
  const std::string request_bytes;
  const std::string response_bytes;
  http::RequestHead request;
  http::ResponseHead response;
};

ResponsePlan plan(const char* request, const char* response, ResponseConditions conditions = {}) {
  const Heads heads(request, response);
  return plan_response(heads.request, heads.response, conditions);
}

TEST(ResponsePlan, WithALengthOrChunksKeepsBothConnections) {
  for (const char* response : {kLength, kChunked}) {
    const ResponsePlan made = plan(kGet, response);
    EXPECT_EQ(made.coding, BodyCoding::kAsIs);
    EXPECT_TRUE(made.keeps_downstream);
    EXPECT_TRUE(made.keeps_upstream);
  }
}

TEST(ResponsePlan, ABodyWithoutALengthIsSentInChunks) {
  for (const char* response : {kUntilClose, kOldUntilClose}) {
    const ResponsePlan made = plan(kGet, response);
    EXPECT_EQ(made.framing.end, http::BodyEnd::kClose);
    EXPECT_EQ(made.coding, BodyCoding::kChunked);
    EXPECT_TRUE(made.keeps_downstream);
    EXPECT_FALSE(made.keeps_upstream);
  }
}

TEST(ResponsePlan, OfSuchABodyForHttp10EndsWithTheConnection) {
  const ResponsePlan made = plan(kOldGet, kUntilClose);
  EXPECT_EQ(made.coding, BodyCoding::kAsIs);
  EXPECT_FALSE(made.keeps_downstream);
  EXPECT_FALSE(made.keeps_upstream);
}

TEST(ResponsePlan, WithoutABodyAddsNoChunks) {
  for (const char* response : {"HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 304 No\r\n\r\n"}) {
    EXPECT_EQ(plan(kGet, response).coding, BodyCoding::kAsIs) << response;
  }
  const ResponsePlan made = plan("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", kUntilClose);
  EXPECT_EQ(made.coding, BodyCoding::kAsIs);
  EXPECT_TRUE(made.keeps_downstream);
}

TEST(ResponsePlan, RemovesChunksForHttp10AndEndsWithTheConnection) {
  const ResponsePlan made = plan(kOldGet, kChunked);
  EXPECT_EQ(made.coding, BodyCoding::kUnchunked);
  EXPECT_FALSE(made.keeps_downstream);
  EXPECT_TRUE(made.keeps_upstream);
}

TEST(ResponsePlan, KeepsDownstreamOnlyAfterAWholeRequestAndNotWhileDraining) {
  EXPECT_FALSE(plan(kGet, kLength, {.has_sent_request = false}).keeps_downstream);
  EXPECT_FALSE(plan(kGet, kLength, {.is_draining = true}).keeps_downstream);
}

TEST(RequestedUpgrade, NamesProtocolsThatTheRequestOffered) {
  constexpr const char* kOffer =
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: x, y\r\nConnection: upgrade\r\n\r\n";
  const auto switches_to = [&](const char* request, const std::string& protocols) {
    const std::string text = "HTTP/1.1 101 Go\r\n" + protocols + "Connection: upgrade\r\n\r\n";
    const Heads heads(request, text.c_str());
    return is_requested_upgrade(heads.request, heads.response);
  };
  EXPECT_TRUE(switches_to(kOffer, "Upgrade: Y\r\n"));
  EXPECT_FALSE(switches_to(kOffer, "Upgrade: y, z\r\n"));
  EXPECT_FALSE(switches_to(kOffer, ""));
  EXPECT_FALSE(switches_to(kGet, "Upgrade: y\r\n"));
}

}  // namespace
}  // namespace bellows::proxy
