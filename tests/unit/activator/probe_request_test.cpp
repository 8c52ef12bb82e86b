#include "activator/core/probe_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::activator {
namespace {

/// The answer to a GET with these header lines, or nothing if it is no probe.
std::optional<proxy::Answer> asked(const std::string& lines, bool is_serving = true) {
  const std::string text = "GET /x HTTP/1.1\r\nHost: web.example\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  return answer_to_probe(head, is_serving);
}

TEST(ProbeRequest, OfAKubeletIsAnsweredHere) {
  for (const char* line : {"User-Agent: kube-probe/1.29\r\n", "K-Kubelet-Probe: queue\r\n"}) {
    const auto answer = asked(line);
    ASSERT_TRUE(answer) << line;
    EXPECT_EQ(answer->status, 200);
  }
}

TEST(ProbeRequest, OfANetworkEchoesItsHash) {
  const auto answer = asked("K-Network-Probe: probe\r\nK-Network-Hash: 4711\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->extra_lines, "K-Network-Hash: 4711\r\n");
}

TEST(ProbeRequest, OfANetworkWithoutHashIsMalformed) {
  EXPECT_EQ(asked("K-Network-Probe: probe\r\n")->status, 400);
  EXPECT_EQ(asked("K-Network-Probe: probe\r\nK-Network-Hash:\r\n")->status, 400);
}

TEST(ProbeRequest, ForTheActivatorIsAnsweredWithItsName) {
  const auto answer = asked("K-Network-Probe: activator\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "activator");
  EXPECT_EQ(answer->reason, "probe");
}

TEST(ProbeRequest, ForSomebodyElseIsMalformed) {
  EXPECT_EQ(asked("K-Network-Probe: queue\r\n")->status, 400);
}

TEST(ProbeRequest, IsTold503WhileTheActivatorLeaves) {
  for (const char* line : {"User-Agent: kube-probe/1.29\r\n", "K-Kubelet-Probe: queue\r\n",
                           "K-Network-Probe: activator\r\n"}) {
    EXPECT_EQ(asked(line, false)->status, 503) << line;
  }
}

TEST(ProbeRequest, IsNotWhatPeopleAndOtherProgramsSend) {
  for (const char* line : {"", "User-Agent: curl/8.0\r\n", "User-Agent: my-kube-probe/1\r\n",
                           "X-Bellows-Anything: probe\r\n", "K-Network-Hash: 1\r\n"}) {
    EXPECT_FALSE(asked(line)) << line;
  }
}

TEST(ProbeOfAnApp, IsToldWhetherARequestWouldBeServed) {
  EXPECT_EQ(answer_for_app(std::nullopt, 2).body, "ready");
  EXPECT_EQ(answer_for_app(std::nullopt, 0).body, "asleep");
  EXPECT_EQ(answer_for_app(std::nullopt, 0).status, 200) << "it would be woken";
  const auto trouble = answer_for_app(Error(ErrorKind::kUnavailable, "service web", "crashes"), 0);
  EXPECT_EQ(trouble.status, 503);
  EXPECT_EQ(trouble.reason, "unavailable");
}

}  // namespace
}  // namespace bellows::activator
