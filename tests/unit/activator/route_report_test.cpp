#include "activator/core/route_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

RoutedService routed(const char* name, config::RouteRule rule,
                     std::vector<RoutedRevision> revisions = {}) {
  if (revisions.empty()) revisions.push_back({.id = RevisionId(name), .share = 100});
  return {.name = RevisionId(name),
          .route = config::route_of({std::move(rule)}),
          .revisions = std::move(revisions)};
}

std::vector<RoutedService> shop() {
  return {routed("web", {.host = "shop.example", .path_prefix = ""},
                 {{.id = RevisionId("web"), .share = 90},
                  {.id = RevisionId("web-00002"), .share = 10, .tags = {"canary"}},
                  {.id = RevisionId("web-00003")}}),
          routed("api", {.host = "shop.example", .path_prefix = "/api"}),
          routed("beta",
                 {.host = "shop.example", .path_prefix = "/api", .headers = {{"x-beta", "yes"}}}),
          routed("rest", {.host = "", .path_prefix = ""}),
          routed("other", {.host = "*.other.example", .path_prefix = ""})};
}

TEST(RouteReport, SaysWhoGetsTheRequestAndWhyNoOther) {
  const auto report = route_report(
      shop(), {.host = "shop.example:80", .path = "/api/x?y", .header_lines = {"X-Beta: no"}});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_TRUE(report->is_taken);
  EXPECT_THAT(
      report->lines,
      ElementsAre(
          "api gets it, by shop.example/api", "  revision api 100%",
          "matches too, but is less specific:",
          "  web: shop.example: the longer path-prefix is first",
          "  rest: any host: an exact host is before a wildcard, a wildcard before any host",
          "does not match:",
          "  beta: shop.example/api (x-beta: yes): its header x-beta is \"no\", not \"yes\"",
          "2 rules are for other hosts"));
}

TEST(RouteReport, NamesSharesAndTags) {
  EXPECT_THAT(route_report(shop(), {.host = "shop.example"})->lines[1],
              "  revisions web 90%, web-00002 10%");
  const auto canary = route_report(shop(), {.host = "canary.shop.example"});
  EXPECT_EQ(canary->lines[0], "web gets it, by canary.shop.example");
  EXPECT_EQ(canary->lines[1], "  revision web-00002, by its tag canary");
}

TEST(RouteReport, OfARequestThatNoServiceTakes) {
  const auto report = route_report({routed("api", {.host = "a", .path_prefix = "/api"})},
                                   {.host = "a", .path = "/x"});
  EXPECT_FALSE(report->is_taken);
  EXPECT_THAT(report->lines,
              ElementsAre("no service gets it: the response is 404", "does not match:",
                          "  api: a/api: the path is not below its path-prefix"));
}

config::StaticAnswer answer_at(const std::string& path, int status) {
  config::StaticAnswer answer;
  answer.path = path;
  answer.status = status;
  return answer;
}

/// With answers that the settings of web give.
std::vector<RoutedService> shop_with_answers() {
  std::vector<RoutedService> services = shop();
  services[0].own = {.probe_user_agents = "lb-check/",
                     .probe_paths = "/alive",
                     .static_answers = {answer_at("/robots.txt", 200), answer_at("/gone", 410)}};
  return services;
}

/// The first line about a request for shop.example.
std::string first_line(const TestRequest& request, bool is_taken = true) {
  const auto report = route_report(shop_with_answers(), request);
  if (!report) return to_string(report.error());
  EXPECT_EQ(report->is_taken, is_taken);
  return report->lines.at(0);
}

TEST(RouteReport, SaysWhatBellowsAnswersByTheSettingsOfAService) {
  const std::string by_answer = "Bellows itself responds with 200: by static-answers of web";
  const std::string by_probe =
      "Bellows itself responds with 200: it is a probe, by probe-paths or probe-user-agents of "
      "web; 503 if its replicas fail to start";
  const std::string host = "shop.example";
  EXPECT_EQ(first_line({.host = host, .path = "/robots.txt?x"}), by_answer);
  EXPECT_EQ(first_line({.host = host, .path = "/gone"}),
            "Bellows itself responds with 410: by static-answers of web");
  EXPECT_EQ(first_line({.host = host, .path = "/alive"}), by_probe);
  EXPECT_EQ(first_line({.host = host, .header_lines = {"User-Agent: lb-check/2"}}), by_probe);
  EXPECT_EQ(first_line({.host = host, .path = "/robots.txt/"}), "web gets it, by shop.example");
  EXPECT_EQ(first_line({.host = "rest.example", .path = "/alive"}), "rest gets it, by any host");
  EXPECT_EQ(route_report(shop_with_answers(), {.host = host, .path = "/alive"})->lines.at(1),
            "web does not get it; it has its route, shop.example");
}

TEST(RouteReport, SaysWhatBellowsAnswersWithoutAService) {
  const std::string host = "shop.example";
  const std::vector<std::string> last = {"Max-Forwards: 0"};
  EXPECT_EQ(first_line({.method = "OPTIONS", .host = host, .header_lines = last}, false),
            "Bellows itself responds with 204: its Max-Forwards ends here");
  EXPECT_EQ(first_line({.method = "TRACE", .host = host, .header_lines = last}, false),
            "Bellows itself responds with 405: its Max-Forwards ends here");
  EXPECT_EQ(first_line({.method = "TRACE", .host = host, .header_lines = {"Max-Forwards: 1"}}),
            "web gets it, by shop.example");
  EXPECT_EQ(first_line({.host = host, .header_lines = last}), "web gets it, by shop.example");
  EXPECT_EQ(first_line({.host = host, .header_lines = {"User-Agent: kube-probe/1.29"}}, false),
            "Bellows itself responds with 200: it is a probe of the activator, by its User-Agent "
            "or K- fields");
  EXPECT_EQ(first_line({.method = "CONNECT", .host = "a", .path = "a:1"}),
            "request: CONNECT is not supported");
}

TEST(RouteReport, RefusesWhatIsNoRequest) {
  for (const TestRequest& request :
       {TestRequest{.host = "a b"}, TestRequest{.host = "a", .path = "/x y"},
        TestRequest{.host = "a", .header_lines = {"no colon"}},
        TestRequest{.host = "a\r\n\r\nGET / HTTP/1.1\r\nHost: b"},
        TestRequest{.method = "G T", .host = "a"}}) {
    const auto report = route_report(shop(), request);
    ASSERT_FALSE(report) << request.host;
    EXPECT_EQ(report.error().kind(), ErrorKind::kMalformed);
  }
}

TEST(RouteReport, OfThousandsOfRulesListsTwenty) {
  std::vector<RoutedService> many;
  for (int i = 0; i < 1000; ++i) {
    many.push_back(routed(("s" + std::to_string(i)).c_str(),
                          {.host = "", .path_prefix = "/p" + std::to_string(i)}));
  }
  const auto report = route_report(many, {.host = "h", .path = "/p7"});
  EXPECT_EQ(report->lines.size(), 2U + 1 + 20 + 1);
  EXPECT_EQ(report->lines.back(), "  and 979 more");
}

}  // namespace
}  // namespace bellows::activator
