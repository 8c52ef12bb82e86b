#include "activator/core/route_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace bellows::activator {
namespace {

using ::testing::HasSubstr;

RouteEntry service(const char* name, const char* host, const char* prefix, bool retired = false) {
  return {RevisionId(name), {.host = host, .path_prefix = prefix}, retired, RevisionId(name)};
}

/// The name of the revision that the request is for, or the text of the error.
class Routes {
 public:
  explicit Routes(std::vector<RouteEntry> entries) : entries_(std::move(entries)) {}

  std::string to(std::string_view host, std::string_view path = "/") const {
    const auto found = table_.find(host, path);
    return found ? entries_[*found].revision.text() : to_string(found.error());
  }
  ErrorKind error_kind(std::string_view host, std::string_view path = "/") const {
    return table_.find(host, path).error().kind();
  }

 private:
  std::vector<RouteEntry> entries_;
  RouteTable table_{entries_};
};

TEST(RouteTableOneService, TakesEveryRequestWhenItHasNoRoute) {
  const Routes routes({service("web", "", "")});
  EXPECT_EQ(routes.to("shop.example"), "web");
  EXPECT_EQ(routes.to("127.0.0.1:8080", "/deep/path?x=1"), "web");
  EXPECT_EQ(routes.to("", "/"), "web") << "HTTP/1.0 without a Host header";
  EXPECT_EQ(routes.to("any", "*"), "web") << "OPTIONS *";
}

TEST(RouteTableHosts, AreComparedWithoutCasePortAndTrailingDot) {
  const Routes routes({service("shop", "shop.example", ""), service("six", "[::1]", "")});
  for (const char* host : {"shop.example", "SHOP.Example", "shop.example:8080", "shop.example.",
                           "Shop.Example.:443"}) {
    EXPECT_EQ(routes.to(host), "shop") << host;
  }
  EXPECT_EQ(routes.to("[::1]:8080"), "six");
  for (const char* host :
       {"shop.example.org", "a.shop.example", "shop", "shop.example..", "[::2]"}) {
    EXPECT_EQ(routes.error_kind(host), ErrorKind::kNotFound) << host;
  }
}

/// A head of which the fields are asked.
class Head {
 public:
  explicit Head(std::vector<std::string> lines) : text_("GET / HTTP/1.1\r\nHost: x\r\n") {
    for (const std::string& line : lines) text_ += line + "\r\n";
    text_ += "\r\n";
    http::HeadParser parser;
    EXPECT_TRUE(parser.read(text_, head_).is_complete()) << text_;
  }
  const http::Fields* fields() const { return &head_.fields; }

 private:
  std::string text_;
  http::RequestHead head_;
};

using Matches = std::vector<config::HeaderMatch>;

RouteEntry with_headers(const char* name, const char* host, const char* prefix, Matches headers) {
  return {RevisionId(name), {.host = host, .path_prefix = prefix, .headers = std::move(headers)}};
}

TEST(RouteTableWildcards, TakeEveryNameBelowButNotTheNameItself) {
  const Routes routes(
      {service("shop", "*.shop.example", ""), service("deep", "*.a.shop.example", "")});
  EXPECT_EQ(routes.to("x.shop.example"), "shop");
  EXPECT_EQ(routes.to("X.Shop.EXAMPLE.:8080"), "shop");
  EXPECT_EQ(routes.to("y.x.shop.example"), "shop");
  EXPECT_EQ(routes.to("a.shop.example"), "shop");
  EXPECT_EQ(routes.to("y.a.shop.example"), "deep") << "the longer wildcard";
  for (const char* host : {"shop.example", ".shop.example", "xshop.example", "example", "", "."}) {
    EXPECT_EQ(routes.error_kind(host), ErrorKind::kNotFound) << host;
  }
  EXPECT_EQ(routes.error_kind(std::string(5000, '.')), ErrorKind::kNotFound);
  EXPECT_EQ(routes.to(std::string(5000, '.') + "shop.example"), "shop");
}

TEST(RouteTableWildcards, GiveWayToAnExactHostUnlessThatHasNoRouteForThePath) {
  const Routes routes({service("all", "*.shop.example", ""),
                       service("api", "a.shop.example", "/api"), service("rest", "", "")});
  EXPECT_EQ(routes.to("a.shop.example", "/api/x"), "api");
  EXPECT_EQ(routes.to("a.shop.example", "/other"), "all");
  EXPECT_EQ(routes.to("shop.example", "/api/x"), "rest");
}

TEST(RouteTableWildcards, AreGoneAfterTheyAreRemoved) {
  RouteTable table;
  const std::size_t first = table.add(service("a", "*.example", ""));
  const std::size_t second = table.add(service("b", "*.b.example", "/p"));
  EXPECT_EQ(table.find("x.b.example", "/p").value(), second);
  table.remove(second);
  EXPECT_EQ(table.find("x.b.example", "/p").value(), first);
  table.change(first, service("a", "exact.example", ""));
  EXPECT_FALSE(table.find("x.b.example", "/p"));
  EXPECT_TRUE(table.find("exact.example", "/p"));
}

TEST(RouteTableHeaders, OfAValueOrOfPresenceDecideAtTheSameHostAndPrefix) {
  const RouteTable table({service("web", "", ""), with_headers("debug", "", "", {{"x-debug"}}),
                          with_headers("two", "", "", {{"x-version", "2"}}),
                          with_headers("both", "", "", {{"x-debug"}, {"x-version", "2"}})});
  const auto number = [&](std::vector<std::string> lines) {
    const Head head(std::move(lines));
    return table.find("h", "/", head.fields()).value();
  };
  EXPECT_EQ(table.find("h", "/").value(), 0U) << "no fields at all";
  EXPECT_EQ(number({}), 0U);
  EXPECT_EQ(number({"X-Debug:"}), 1U) << "present, though empty";
  EXPECT_EQ(number({"X-VERSION: 2"}), 2U);
  EXPECT_EQ(number({"X-Version: 22"}), 0U);
  EXPECT_EQ(number({"X-Version: 1", "X-Version: 2"}), 2U) << "one of its lines";
  EXPECT_EQ(number({"X-Version: 2", "X-Debug: no"}), 3U) << "more conditions are first";
}

TEST(RouteTableHeaders, ThatDoNotMatchLeaveTheRequestToAShorterPrefixOrAWiderHost) {
  const RouteTable table({with_headers("long", "a.example", "/api/v1", {{"x-a"}}),
                          with_headers("short", "a.example", "/api", {{"x-b"}}),
                          with_headers("wide", "*.example", "", {{"x-c"}}),
                          service("rest", "", "")});
  const auto number = [&](std::vector<std::string> lines) {
    const Head head(std::move(lines));
    return table.find("a.example", "/api/v1/x", head.fields()).value();
  };
  EXPECT_EQ(number({"x-a: 1", "x-b: 1", "x-c: 1"}), 0U);
  EXPECT_EQ(number({"x-b: 1", "x-c: 1"}), 1U);
  EXPECT_EQ(number({"x-c: 1"}), 2U);
  EXPECT_EQ(number({}), 3U);
}

/// Small sets, so that rules meet.
RouteEntry drawn_entry(std::size_t number) {
  const auto host = *rc::gen::element<std::string>("", "a.b.c", "b.c", "*.b.c", "*.c");
  const auto prefix = *rc::gen::element<std::string>("", "/p", "/p/q");
  Matches headers;
  for (const char* name : {"x-a", "x-b"}) {
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 1) headers.push_back({name});
    if (kind == 2) headers.push_back({name, "1"});
  }
  return with_headers(("r" + std::to_string(number)).c_str(), host.c_str(), prefix.c_str(),
                      headers);
}

RC_GTEST_PROP(RouteTableOrder, TheFirstOfAllMatchingRulesInTheTotalOrderWins, ()) {
  std::vector<RouteEntry> entries;
  for (std::size_t i = 0; i < 12; ++i) {
    RouteEntry entry = drawn_entry(i);
    const bool is_new = std::ranges::none_of(
        entries, [&](const RouteEntry& other) { return other.route == entry.route; });
    if (is_new) entries.push_back(std::move(entry));
  }
  std::vector<std::string> lines;
  if (*rc::gen::arbitrary<bool>())
    lines.emplace_back(*rc::gen::element<std::string>("x-a: 1", "x-a: 2"));
  if (*rc::gen::arbitrary<bool>())
    lines.emplace_back(*rc::gen::element<std::string>("x-b: 1", "x-b: 2"));
  const Head head(lines);
  const auto host = *rc::gen::element<std::string>("a.b.c", "b.c", "x.a.b.c", "x.c", "z");
  const auto path = *rc::gen::element<std::string>("/", "/p", "/p/q/r", "/pq");
  // The reference: every rule alone, and the first of those that match.
  const RouteEntry* best = nullptr;
  for (const RouteEntry& entry : entries) {
    if (!RouteTable({entry}).find(host, path, head.fields())) continue;
    if (best != nullptr)
      RC_ASSERT(is_before(entry.route, best->route) != is_before(best->route, entry.route));
    if (best == nullptr || is_before(entry.route, best->route)) best = &entry;
  }
  const RouteTable table(entries);
  const auto found = table.find(host, path, head.fields());
  RC_ASSERT(found.has_value() == (best != nullptr));
  if (best != nullptr) RC_ASSERT(entries[*found].revision == best->revision);
}

TEST(RouteTableHosts, WithCapitalsInTheSettingsMatch) {
  EXPECT_EQ(Routes({service("shop", "Shop.Example", "")}).to("shop.example"), "shop");
}

TEST(RouteTablePrefixes, MatchWholeSegmentsOnly) {
  const Routes routes({service("api", "", "/api")});
  for (const char* path :
       {"/api", "/api/", "/api/x", "/api/x/y?z", "/api?x=/other", "/api/../admin"}) {
    EXPECT_EQ(routes.to("h", path), "api") << path;
  }
  for (const char* path : {"/", "/apix", "/ap", "/API", "/x/api", "", "*", "/?/api", "/%61pi/x",
                           "//api", "/./api", "/api;v=1"}) {
    EXPECT_EQ(routes.error_kind("h", path), ErrorKind::kNotFound) << path;
  }
}

TEST(RouteTablePrefixes, MatchTheSameWithATrailingSlash) {
  const Routes routes({service("api", "", "/api/")});
  EXPECT_EQ(routes.to("h", "/api/x"), "api");
  EXPECT_EQ(routes.to("h", "/api"), "api");
}

TEST(RouteTablePrefixes, TheLongestWins) {
  const Routes routes({service("root", "", "/"), service("api", "", "/api"),
                       service("v2", "", "/api/v2"), service("deep", "", "/api/v2/a/b")});
  EXPECT_EQ(routes.to("h", "/index"), "root");
  EXPECT_EQ(routes.to("h", "/api/v1"), "api");
  EXPECT_EQ(routes.to("h", "/api/v2/a"), "v2");
  EXPECT_EQ(routes.to("h", "/api/v2/a/b"), "deep");
  EXPECT_EQ(routes.to("h", "/api/v2/a/b/c"), "deep");
  EXPECT_EQ(routes.to("h", "/api/v2/a/bb"), "v2");
}

TEST(RouteTablePrefixes, MatchAPathOfThousandsOfSlashes) {
  const Routes routes({service("api", "", "/api")});
  EXPECT_EQ(routes.to("h", "/api" + std::string(60'000, '/')), "api");
  EXPECT_EQ(routes.error_kind("h", std::string(60'000, '/')), ErrorKind::kNotFound);
}

TEST(RouteTableHostAndPrefix, TheHostDecidesBeforeThePrefix) {
  const Routes routes({service("shop", "shop.example", ""),
                       service("cart", "shop.example", "/cart"),
                       service("cart-any", "", "/cart/items"), service("rest", "", "")});
  EXPECT_EQ(routes.to("shop.example", "/"), "shop");
  EXPECT_EQ(routes.to("shop.example", "/cart/items"), "cart");
  EXPECT_EQ(routes.to("other.example", "/cart/items"), "cart-any");
  EXPECT_EQ(routes.to("other.example", "/cart"), "rest");
}

TEST(RouteTableHostAndPrefix, APathWithoutAMatchForTheHostGoesToTheServiceForAnyHost) {
  const Routes routes({service("cart", "shop.example", "/cart"), service("rest", "", "")});
  EXPECT_EQ(routes.to("shop.example", "/about"), "rest");
}

TEST(RouteTableUnknownHost, NamesTheHostAndSomeRoutesThatExist) {
  const Routes routes({service("a", "a.example", ""), service("b", "b.example", "/b")});
  EXPECT_EQ(routes.to("shop.example:80"),
            "host shop.example: no service takes it; known: a.example, b.example/b");
  EXPECT_EQ(routes.to("B.example", "/c?d"),
            "host B.example, path /c: no service takes it; known: a.example, b.example/b");
  EXPECT_EQ(routes.to(""), "no host: no service takes it; known: a.example, b.example/b");
}

TEST(RouteTableUnknownHost, HasABoundedErrorMessage) {
  std::vector<RouteEntry> entries;
  for (int i = 0; i < 1000; ++i) {
    entries.push_back(service("s", ("h" + std::to_string(i) + ".example").c_str(), ""));
  }
  const Routes routes(std::move(entries));
  const std::string message = routes.to(std::string(50'000, 'x'));
  EXPECT_THAT(message, HasSubstr("h0.example, h1.example"));
  EXPECT_THAT(message, HasSubstr("h7.example and 992 more"));
  EXPECT_LT(message.size(), 512U);
}

TEST(RouteTableEmpty, MatchesNothing) {
  EXPECT_EQ(Routes({}).to("a"), "host a: no service takes it; known: none");
  EXPECT_EQ(RouteTable().find("a", "/").error().kind(), ErrorKind::kNotFound);
}

TEST(RouteTableRetired, IsGoneAndNotListedAmongTheKnown) {
  const Routes routes({service("old", "old.example", "", true), service("new", "new.example", "")});
  EXPECT_EQ(routes.error_kind("old.example"), ErrorKind::kGone);
  EXPECT_THAT(routes.to("old.example"), HasSubstr("service old"));
  EXPECT_EQ(routes.to("x"), "host x: no service takes it; known: new.example");
}

TEST(RouteTableSameRouteTwice, TheOneInServiceWinsThenTheFirst) {
  EXPECT_EQ(Routes({service("a", "h", "", true), service("b", "h", "")}).to("h"), "b");
  EXPECT_EQ(Routes({service("a", "h", ""), service("b", "h", "", true)}).to("h"), "a");
  EXPECT_EQ(Routes({service("a", "h", ""), service("b", "H", "")}).to("h"), "a");
  EXPECT_EQ(Routes({service("a", "h", "/p", true), service("b", "h", "/p/")}).to("h", "/p"), "b");
}

TEST(RouteTableTenThousandRevisions, EachIsFoundByItsHostAndByItsPrefix) {
  std::vector<RouteEntry> entries;
  for (int i = 0; i < 5000; ++i) {
    const std::string number = std::to_string(i);
    entries.push_back(service(("host-" + number).c_str(), ("h" + number + ".example").c_str(), ""));
    entries.push_back(service(("path-" + number).c_str(), "", ("/p" + number).c_str()));
  }
  const Routes routes(std::move(entries));
  for (int i = 0; i < 5000; i += 7) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(routes.to("H" + number + ".example:80", "/p1/x"), "host-" + number);
    EXPECT_EQ(routes.to("elsewhere", "/p" + number + "/x"), "path-" + number);
  }
}

TEST(RouteTableOfRemovedServices, GivesTheRouteAndTheNumberToTheNext) {
  RouteTable table;
  const std::size_t first = table.add(service("a", "h", "/p"));
  EXPECT_EQ(table.add(service("b", "h", "/p")), first + 1);
  EXPECT_EQ(table.find("h", "/p").value(), first);
  table.remove(first);
  EXPECT_EQ(table.find("h", "/p").value(), first + 1);
  EXPECT_EQ(table.add(service("c", "", "")), first) << "numbers do not grow with time";
  table.remove(first + 1);
  EXPECT_EQ(table.find("h", "/p").value(), first);
  table.remove(first);
  EXPECT_EQ(to_string(table.find("h", "/p").error()), "host h: no service takes it; known: none");
}

/// What comes, changes and goes leaves the routes that a new table would have.
RC_GTEST_PROP(RouteTableProperty, AfterAnyChangesIsThatOfWhatIsLeft, ()) {
  struct Listed {
    std::size_t number;
    RouteEntry entry;
  };
  RouteTable table;
  std::map<std::string, Listed> listed;
  const auto any_entry = [](const std::string& name) {
    return service(name.c_str(), *rc::gen::element("", "a", "B", "b"),
                   *rc::gen::element("", "/p", "/p/q/", "/x"), *rc::gen::element(true, false));
  };
  const int steps = *rc::gen::inRange(1, 40);
  for (int step = 0; step < steps; ++step) {
    const std::string name = "r" + std::to_string(*rc::gen::inRange(0, 6));
    const auto known = listed.find(name);
    if (known == listed.end()) {
      const RouteEntry entry = any_entry(name);
      listed.emplace(name, Listed{table.add(entry), entry});
    } else if (*rc::gen::inRange(0, 2) == 0) {
      table.remove(known->second.number);
      listed.erase(known);
    } else {
      known->second.entry = any_entry(name);
      table.change(known->second.number, known->second.entry);
    }
  }
  std::vector<RouteEntry> left;
  std::map<std::size_t, std::string> names;
  for (const auto& [name, each] : listed) {
    left.push_back(each.entry);
    names.emplace(each.number, name);
  }
  const Routes fresh(left);
  for (const char* host : {"a", "b", "c"}) {
    for (const char* path : {"/", "/p", "/p/q/r", "/x/y"}) {
      const auto found = table.find(host, path);
      RC_ASSERT((found ? names.at(*found) : to_string(found.error())) == fresh.to(host, path));
    }
  }
}

}  // namespace
}  // namespace bellows::activator
