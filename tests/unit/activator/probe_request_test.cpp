#include "activator/core/probe_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::activator {
namespace {

/// The reply to a GET with these header fields; nullopt if it is not a probe.
std::optional<proxy::LocalReply> asked(const std::string& lines, bool is_serving = true) {
  const std::string text = "GET /x HTTP/1.1\r\nHost: web.example\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  return reply_to_probe(head, is_serving);
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

TEST(ProbeRequest, ForTheActivatorGetsItsName) {
  const auto answer = asked("K-Network-Probe: activator\r\n");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "activator");
  EXPECT_EQ(answer->reason, "probe");
}

TEST(ProbeRequest, ForAnotherTargetIsMalformed) {
  EXPECT_EQ(asked("K-Network-Probe: queue\r\n")->status, 400);
}

TEST(ProbeRequest, Gets503WhileTheActivatorDrains) {
  for (const char* line : {"User-Agent: kube-probe/1.29\r\n", "K-Kubelet-Probe: queue\r\n",
                           "K-Network-Probe: activator\r\n"}) {
    EXPECT_EQ(asked(line, false)->status, 503) << line;
  }
}

TEST(ProbeRequest, IsNoRequestOfOtherAgents) {
  for (const char* line : {"", "User-Agent: curl/8.0\r\n", "User-Agent: my-kube-probe/1\r\n",
                           "X-Bellows-Anything: probe\r\n", "K-Network-Hash: 1\r\n"}) {
    EXPECT_FALSE(asked(line)) << line;
  }
}

TEST(ProbeOfAnApp, GetsTheReplyThatARequestWouldGet) {
  EXPECT_EQ(reply_to_app_probe(std::nullopt, 2).body, "ready");
  EXPECT_EQ(reply_to_app_probe(std::nullopt, 0).body, "asleep");
  EXPECT_EQ(reply_to_app_probe(std::nullopt, 0).status, 200) << "a request would scale it up";
  const auto rejected =
      reply_to_app_probe(Error(ErrorKind::kUnavailable, "service web", "crashes"), 0);
  EXPECT_EQ(rejected.status, 503);
  EXPECT_EQ(rejected.reason, "unavailable");
}

}  // namespace
}  // namespace bellows::activator
