#include "http/core/access_rules.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bellows::http {
namespace {

/// True if a request of these header lines is refused.
bool is_refused(const std::string& method, const std::string& lines, const AccessRules& rules = {},
                Transport transport = Transport::kTcp, bool is_websocket = false) {
  const std::string text = method + " /v1/status HTTP/1.1\r\n" + lines + "\r\n";
  HeadParser parser(kMaxHeadLimits);
  RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  return refusal(rules, head, transport, is_websocket).has_value();
}

/// True if a request of these header lines may see details.
bool sees_detail(const std::string& lines, const AccessRules& rules, Transport transport) {
  const std::string text = "POST /v1/status HTTP/1.1\r\n" + lines + "\r\n";
  HeadParser parser(kMaxHeadLimits);
  RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  return may_see_detail(rules, head, transport);
}

bool is_host_refused(const std::string& host, const AccessRules& rules = {}) {
  return is_refused("GET", "Host: " + host + "\r\n", rules);
}

TEST(AccessRules, TakeNamesThatNobodyCanMakeMeanThisMachine) {
  const AccessRules rules{
      .hosts = own_names("Node1", "127.0.0.1 localhost\n127.0.1.1 node1.corp.example node1\n")};
  for (const std::string host :
       {"127.0.0.1", "127.0.0.1:8081", "10.1.2.3:80", "[::1]:8081", "[fe80::1]", "localhost",
        "localhost:8081", "LOCALHOST", "a.localhost", "localhost.", "node1", "NODE1:8081",
        "node1.corp.example:8081", "node1.corp.example."}) {
    EXPECT_FALSE(is_host_refused(host, rules)) << host;
  }
  for (const std::string host :
       {"evil.example", "evil.example:8081", "localhost.evil.example", "127.0.0.1.evil.example",
        "evil.example.", "xlocalhost.example", "127.0.0.1.nip.io", "node1.evil.example",
        // By a name server, a search domain or a neighbour these mean what a stranger says.
        "evil", "evil:8081", "evil.", "autoscaler:8080", "xlocalhost", "localhost.svc",
        "evil.local", "bellows-autoscaler.bellows-system",
        "bellows-autoscaler.bellows-system.svc:8080", "evil.svc", "evil.default.svc.",
        "a.b.svc.cluster.local", "a.svc.evil.example"}) {
    EXPECT_TRUE(is_host_refused(host, rules)) << host;
  }
}

TEST(AccessRules, TheMachinesNamesIncludeThoseOfTheHostsFile) {
  struct Case {
    const char* what;
    const char* host_name;
    const char* hosts_file;
    std::vector<std::string> names;
  };
  const std::vector<Case> cases = {
      {"no file", "node1", "", {"node1"}},
      {"no host name", "", "127.0.0.1 localhost\n", {}},
      {"a host name with a domain", "Node1.Corp.example", "", {"node1.corp.example", "node1"}},
      {"Debian's line",
       "node1",
       "127.0.1.1\tNode1.corp.example\tnode1\n",
       {"node1", "node1.corp.example"}},
      {"without a line end", "node1", "127.0.1.1 node1 web", {"node1", "web"}},
      {"lines of others", "node1", "10.0.0.2 node2 node2.example\n10.0.0.3 node11\n", {"node1"}},
      {"the address is no name", "node1", "node1 evil\n", {"node1"}},
      {"remarks", "node1", "# 10.0.0.2 node1 evil\n10.0.0.1 node1 # evil\n", {"node1"}},
      {"two lines", "node1", "10.0.0.1 node1 a\r\n\n  10.0.0.2 node1 b a  \n", {"node1", "a", "b"}},
      {"a line of a line's names", "node1", "10.0.0.1 node1 a\n10.0.0.2 a b\n", {"node1", "a"}},
  };
  for (const Case& row : cases) {
    EXPECT_EQ(own_names(row.host_name, row.hosts_file), row.names) << row.what;
  }
}

TEST(AccessRules, AKeyShowsDetailsOfThePagesThatItOpens) {
  const AccessRules rules{.key = "0123abcd", .key_paths = {"/v1/status"}};
  const AccessRules others{.key = "0123abcd", .key_paths = {"/v1/pages/"}};
  const std::string key = "Host: localhost\r\nX-Bellows-Key: 0123abcd\r\n";
  const std::string wrong = "Host: localhost\r\nX-Bellows-Key: 0123abce\r\n";
  EXPECT_TRUE(sees_detail(key, rules, Transport::kLoopback));
  EXPECT_FALSE(sees_detail(wrong, rules, Transport::kLoopback));
  EXPECT_FALSE(sees_detail(key, others, Transport::kLoopback));
  EXPECT_TRUE(sees_detail(wrong, others, Transport::kUnix));
}

TEST(AccessRules, AKeyGivesTheRightToChangeAndNoOther) {
  const AccessRules rules{.key = "0123abcd", .key_paths = {"/v1/pages/", "/v1/status"}};
  const auto with = [](const std::string& key) {
    return "Host: localhost\r\nX-Bellows-Key: " + key + "\r\n";
  };
  EXPECT_FALSE(is_refused("POST", with("0123abcd"), rules));
  for (const std::string wrong : {"", "0123abce", "0123abc", "0123abcd0", "0123ABCD"}) {
    EXPECT_TRUE(is_refused("POST", with(wrong), rules)) << wrong;
  }
  EXPECT_TRUE(is_refused("POST", with(""), {.key_paths = {"/v1/status"}})) << "there is no key";
  EXPECT_TRUE(
      is_refused("POST", with("0123abcd"), {.key = "0123abcd", .key_paths = {"/v1/pages/"}}));
  EXPECT_TRUE(is_refused("POST", with("0123abcd") + "X-Bellows-Key: 1\r\n", rules));
  EXPECT_TRUE(is_refused("POST", with("0123abcd") + "Origin: http://evil.example\r\n", rules));
  EXPECT_TRUE(is_refused("POST", "Host: evil.example\r\nX-Bellows-Key: 0123abcd\r\n", rules));
  EXPECT_TRUE(is_refused("GET", "Host: evil.example\r\nX-Bellows-Key: 0123abcd\r\n", rules));
}

TEST(AccessRules, TakeTheNamesOfTheSettings) {
  const AccessRules rules{.hosts = read_hosts("node1.Example.com , b.example,")};
  EXPECT_EQ(rules.hosts, (std::vector<std::string>{"node1.example.com", "b.example"}));
  EXPECT_FALSE(is_host_refused("NODE1.example.com:8081", rules));
  EXPECT_TRUE(is_host_refused("node2.example.com:8081", rules));
  EXPECT_FALSE(is_host_refused("api.prod.example:6443", {.hosts = {"*"}}));
}

TEST(AccessRules, RefusePagesOfOtherSites) {
  const AccessRules any{.hosts = {"*"}};
  const std::string host = "Host: 127.0.0.1:8081\r\n";
  EXPECT_TRUE(is_refused("GET", host + "Origin: https://evil.example\r\n", any));
  EXPECT_TRUE(is_refused("GET", host + "Origin: null\r\n", any));
  EXPECT_TRUE(is_refused("GET", host + "Origin: http://127.0.0.1:9999\r\n", any));
  EXPECT_TRUE(
      is_refused("GET", host + "Origin: http://127.0.0.1:8081\r\nOrigin: http://x\r\n", any));
  EXPECT_FALSE(is_refused("GET", host + "Origin: http://127.0.0.1:8081\r\n"));
  EXPECT_TRUE(is_refused("GET", host + "Sec-Fetch-Site: cross-site\r\n"));
  EXPECT_TRUE(is_refused("GET", host + "Sec-Fetch-Site: same-site\r\n"));
  EXPECT_FALSE(is_refused("GET", host + "Sec-Fetch-Site: same-origin\r\n"));
  EXPECT_FALSE(is_refused("GET", host + "Sec-Fetch-Site: none\r\n"));  // typed by a person
  EXPECT_TRUE(
      is_refused("POST", "Host: x\r\nOrigin: https://evil.example\r\n", any, Transport::kUnix))
      << "by a web server in front";
}

TEST(AccessRules, ChangesComeByAUnixSocketOnly) {
  const std::string host = "Host: localhost\r\n";
  for (const std::string method : {"POST", "PUT", "PATCH", "DELETE", "X"}) {
    EXPECT_TRUE(is_refused(method, host)) << method;
    EXPECT_FALSE(is_refused(method, host, {}, Transport::kUnix)) << method;
    EXPECT_FALSE(is_refused(method, host, {.changes = AccessRules::Changes::kOfAll})) << method;
  }
  const AccessRules beside{.changes = AccessRules::Changes::kOfLoopback};
  EXPECT_FALSE(is_refused("POST", host, beside, Transport::kLoopback));
  EXPECT_TRUE(is_refused("POST", host, beside, Transport::kTcp)) << "from another pod";
  EXPECT_TRUE(is_refused("POST", host, {}, Transport::kLoopback)) << "loopback has every account";
  for (const std::string method : {"GET", "HEAD", "OPTIONS"}) {
    EXPECT_FALSE(is_refused(method, host)) << method;
  }
}

TEST(AccessRules, AWebSocketOfNoBrowserMayUseAnyName) {
  const std::string host = "Host: scaler.corp.example\r\n";
  EXPECT_FALSE(is_refused("GET", host, {}, Transport::kTcp, true));
  EXPECT_TRUE(
      is_refused("GET", host + "Origin: http://evil.example\r\n", {}, Transport::kTcp, true));
  EXPECT_TRUE(is_refused("GET", host, {}, Transport::kTcp, false));
}

}  // namespace
}  // namespace bellows::http
