#include "queue-proxy/core/probe_request.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::queue_proxy {
namespace {

constexpr TimePoint kNow{std::chrono::hours(1)};

enum class App { kReady, kStarting, kLeaving };

/// The reply to a GET with these header lines, or status 0 if it is not a probe.
proxy::LocalReply asked(const std::string& lines, App app = App::kReady,
                        const proxy::ProbeRules& rules = {}) {
  const std::string text = "GET /healthz HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  Readiness readiness({}, kNow);
  if (app != App::kStarting) readiness.probe_succeeded(kNow);
  if (app == App::kLeaving) readiness.start_draining();
  const ProbeRequest probe = probe_request(head, rules);
  if (probe != ProbeRequest::kNone) return probe_reply(probe, head, readiness, "replica web-1");
  proxy::LocalReply none;
  none.status = 0;
  return none;
}

TEST(ProbeAtTheQueueProxy, GetsTheReadinessOfTheApp) {
  for (const char* line :
       {"K-Network-Probe: queue\r\n", "K-Kubelet-Probe: 1\r\n", "User-Agent: kube-probe/1.30\r\n",
        "User-Agent: Knative-Activator-Probe\r\n", "User-Agent: Knative-Autoscaling-Probe\r\n"}) {
    EXPECT_EQ(asked(line).status, 200) << line;
    EXPECT_EQ(asked(line, App::kStarting).status, 503) << line;
    EXPECT_EQ(asked(line, App::kLeaving).status, 503) << line;
  }
  EXPECT_EQ(asked("K-Network-Probe: queue\r\n").body, "queue");
}

TEST(ProbeAtTheQueueProxy, OfTheNetworkGetsItsHashUntilTheReplicaDrains) {
  const std::string probe = "K-Network-Probe: probe\r\nK-Network-Hash: 4711\r\n";
  EXPECT_EQ(asked(probe).status, 200);
  EXPECT_EQ(asked(probe).extra_lines, "K-Network-Hash: 4711\r\n");
  EXPECT_EQ(asked(probe, App::kStarting).status, 200) << "the address is reached";
  EXPECT_EQ(asked(probe, App::kLeaving).status, 503);
}

TEST(ProbeAtTheQueueProxy, OfTheNetworkWithoutHashOrForAnotherComponentIsMalformed) {
  EXPECT_EQ(asked("K-Network-Probe: probe\r\n").status, 400);
  EXPECT_EQ(asked("K-Network-Probe: probe\r\nK-Network-Hash:\r\n").status, 400);
  EXPECT_EQ(asked("K-Network-Probe: activator\r\n").status, 400);
}

TEST(ProbeAtTheQueueProxy, IsAlsoARequestThatTheSettingsName) {
  const proxy::ProbeRules rules("GoogleHC/", "/healthz");
  EXPECT_EQ(asked("", App::kReady, rules).status, 200);
  EXPECT_EQ(asked("User-Agent: GoogleHC/1\r\n", App::kStarting, rules).status, 503);
}

TEST(ProbeAtTheQueueProxy, IsNotAnOrdinaryRequest) {
  EXPECT_EQ(asked("").status, 0);
  EXPECT_EQ(asked("User-Agent: curl/8\r\nK-Network-Hash: 1\r\n").status, 0);
}

}  // namespace
}  // namespace bellows::queue_proxy
