#include "config/route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml/document_reader.hpp"
#include "config/bellows_file.hpp"
#include "config/route_json.hpp"

namespace bellows::config {
namespace {

using testing::ElementsAre;

Checked<UpSettings> read_services(const std::string& services) {
  const auto document = yaml::parse_document("f", "services:\n" + services);
  EXPECT_TRUE(document);
  return read_bellows_file(*document, {});
}

/// The routes of a file's first service.
std::string route_in(const std::string& lines) {
  const auto settings = read_services("- name: web\n  command: [a]\n" + lines);
  return settings ? to_string(settings->services.front().route) : problems_text(settings.error());
}

std::vector<std::string> problems_in(const std::string& services) {
  const auto settings = read_services(services);
  std::vector<std::string> texts;
  if (settings) return texts;
  for (const Error& error : settings.error()) texts.push_back(to_string(error));
  return texts;
}

TEST(RoutesOfAFile, AreEachHostWithEachPrefixAndAllHeaders) {
  EXPECT_EQ(route_in(""), "any host");
  EXPECT_EQ(route_in("  host: a.example\n  path-prefix: /p\n"), "a.example/p");
  EXPECT_EQ(route_in("  host: [A.example, '*.a.example']\n  path-prefix: [/p, /q]\n"
                     "  headers: [X-Debug, 'X-Version: 2']\n"),
            "a.example/p (x-debug, x-version: 2), a.example/q (x-debug, x-version: 2), "
            "*.a.example/p (x-debug, x-version: 2), *.a.example/q (x-debug, x-version: 2)");
  EXPECT_EQ(route_in("  headers: {X-Version: 2}\n"), "any host (x-version: 2)");
  EXPECT_EQ(route_in("  headers: X-Debug\n"), "any host (x-debug)");
}

TEST(RoutesOfAFile, MayBeAListOfRules) {
  EXPECT_EQ(route_in("  routes:\n  - host: a.example\n    headers:\n    - X-A: one\n"
                     "  - {host: [b.example, c.example], path-prefix: /c}\n"),
            "a.example (x-a: one), b.example/c, c.example/c");
}

TEST(RoutesOfAFile, ThatAreWrongNameLineKeyValueAndWhatIsRight) {
  EXPECT_THAT(
      problems_in("- name: web\n  command: [a]\n  host: [a.example, '*']\n  path-prefix: [api]\n"
                  "  headers: ['X Y', 'Host: b', 'X-A:']\n"),
      ElementsAre(
          "f:4: host: \"*\": want a host name without port, such as web.localhost, a wildcard, "
          "such "
          "as *.web.localhost, or nothing",
          "f:5: path-prefix: \"api\": want a path that starts with / and does not end with it, "
          "such "
          "as /api, or nothing",
          "f:6: headers: \"X Y\": want the name of a header field (X-Debug) or a name and a value "
          "(X-Version: 2)",
          "f:6: headers: \"Host: b\": want the host under host",
          "f:6: headers: \"X-A:\": want the name of a header field (X-Debug) or a name and a value "
          "(X-Version: 2)"));
  EXPECT_THAT(problems_in("- name: web\n  command: [a]\n  routes: [{hots: b.c}]\n"),
              ElementsAre("f:4: hots: unknown in a route; did you mean host?"));
  EXPECT_THAT(problems_in("- name: web\n  command: [a]\n  host: a.b\n  routes: [{host: b.c}]\n"),
              ElementsAre("f:4: host: the service has routes too; want it within them"));
  EXPECT_THAT(
      problems_in("- name: web\n  command: [a]\n  routes: a.b\n"),
      ElementsAre("f:4: routes: want a list of maps: [{host: a.example}, {path-prefix: /b}]"));
  EXPECT_THAT(problems_in("- name: web\n  command: [a]\n  host: []\n"),
              ElementsAre("f:4: host: want at least one in the list"));
}

TEST(RoutesOfAFile, ThatAreTheSameNameBothServicesAndLines) {
  EXPECT_THAT(
      problems_in("- name: one\n  command: [a]\n  routes:\n  - host: a.b\n"
                  "  - {host: a.b, headers: [X-B, X-A]}\n"
                  "- name: two\n  command: [a]\n  host: A.B\n  headers: {X-A: 1}\n"
                  "- name: three\n  command: [a]\n  host: [c.d, a.b]\n  headers: [X-A, X-B, X-A]\n"
                  "- name: four\n  command: [a]\n  host: [e.f, E.f]\n"),
      ElementsAre(
          "f:11: service three: takes host a.b and any path and headers x-a, x-b, as service "
          "one in line 6 does; want another host, path-prefix or headers",
          "f:15: service four: takes host e.f and any path twice; want each once"));
}

TEST(RoutesOfAFile, AreBounded) {
  std::string hosts;
  for (int i = 0; i < 257; ++i) hosts += (i == 0 ? "" : ", ") + ("h" + std::to_string(i));
  EXPECT_THAT(
      problems_in("- name: web\n  command: [a]\n  host: [" + hosts + "]\n"),
      ElementsAre("f:2: routes: 257 rules, each host with each path-prefix: want at most 256"));
}

TEST(TagRules, StandBeforeEachHostThatIsNoWildcard) {
  Route route = route_of({{.host = "a.example", .path_prefix = "/p"},
                          {.host = "*.a.example", .path_prefix = ""},
                          {.host = "", .path_prefix = "/q"},
                          {.host = "b.example", .path_prefix = "", .headers = {{"x-a"}}}});
  EXPECT_TRUE(tag_rules(route).empty());
  EXPECT_TRUE(may_have_tags(route));
  route.tags = {"canary"};
  EXPECT_EQ(to_string(route_of(tag_rules(route))), "canary.a.example/p, canary.b.example (x-a)");
  EXPECT_FALSE(may_have_tags(route_of({{.host = "*.a.example", .path_prefix = ""}})));
}

TEST(RouteJson, ReadsBackWhatItWrote) {
  Route route = route_of({{.host = "a.example", .path_prefix = "/p", .headers = {{"x-a"}}},
                          {.host = "*.b.example", .path_prefix = "", .headers = {{"x-b", "1: 2"}}},
                          {.host = "", .path_prefix = "/q"}});
  route.tags = {"canary", "old"};
  for (const Route& each : {Route(), route}) {
    json::Writer out;
    write_route(out, each);
    const auto read = read_route(json::parse(out.end()).value());
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(*read, each);
  }
}

TEST(RouteJson, RefusesWhatNoRouteCanBe) {
  for (const char* text :
       {R"({"host":"a b"})", R"({"path_prefix":"x"})", R"({"headers":["a b"]})",
        R"({"more":[{"host":"*"}]})", R"({"more":[{"hots":"a"}]})", R"({"headers":[1]})"}) {
    EXPECT_FALSE(read_asked_route(json::parse(text).value())) << text;
  }
  for (const char* text : {"{}", R"({"host":""})", R"({"path_prefix":""})",
                           R"({"host":"","path_prefix":"","tags":["A"]})"}) {
    EXPECT_FALSE(read_route(json::parse(text).value())) << text;
  }
  EXPECT_EQ(to_string(*read_asked_route(json::parse(R"({"host":"A.b"})").value())), "a.b");
}

}  // namespace
}  // namespace bellows::config
