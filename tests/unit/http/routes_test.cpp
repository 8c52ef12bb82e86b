#include "http/io/routes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace bellows::http {
namespace {

Handler any_handler() {
  return [](Request) -> Awaitable<Response> { co_return Response{}; };
}

WebSocketHandler any_websocket_handler() {
  return [](std::unique_ptr<WebSocket>) -> Awaitable<void> { co_return; };
}

bool is_handler(const Routes::Match& match) {
  return std::holds_alternative<const Handler*>(match);
}

std::string allowed(const Routes::Match& match) {
  return std::get<Routes::MethodNotAllowed>(match).allowed;
}

const Handler* handler_of(const Routes& routes, std::string_view path) {
  return std::get<const Handler*>(routes.find("GET", path, false));
}

TEST(Routes, AnExactPathMatchesItselfOnly) {
  Routes routes;
  routes.add("GET", "/status", any_handler());
  EXPECT_TRUE(is_handler(routes.find("GET", "/status", false)));
  for (const char* const other : {"/", "/statu", "/status/", "/status/web", "status", ""}) {
    EXPECT_TRUE(std::holds_alternative<Routes::NotFound>(routes.find("GET", other, false)))
        << other;
  }
}

TEST(Routes, APrefixMatchesItselfAndPathsBelow) {
  Routes routes;
  routes.add("GET", "/revisions/", any_handler());
  EXPECT_TRUE(is_handler(routes.find("GET", "/revisions/", false)));
  EXPECT_TRUE(is_handler(routes.find("GET", "/revisions/web/journal", false)));
  EXPECT_FALSE(is_handler(routes.find("GET", "/revisions", false)));
  EXPECT_FALSE(is_handler(routes.find("GET", "/revisionsx", false)));
}

TEST(Routes, AnExactPathWinsAndThenTheLongestPrefix) {
  Routes routes;
  for (const char* const path : {"/", "/a/", "/a/b/", "/a/b/exact"})
    routes.add("GET", path, any_handler());
  EXPECT_EQ(handler_of(routes, "/a/b/exact"), handler_of(routes, "/a/b/exact"));
  EXPECT_NE(handler_of(routes, "/a/b/exact"), handler_of(routes, "/a/b/other"));
  EXPECT_EQ(handler_of(routes, "/a/b/other"), handler_of(routes, "/a/b/"));
  EXPECT_EQ(handler_of(routes, "/a/c"), handler_of(routes, "/a/"));
  EXPECT_FALSE(is_handler(routes.find("GET", "/c", false))) << "the root is one page";
  EXPECT_TRUE(is_handler(routes.find("GET", "/", false)));
  routes.add("GET", "/*", any_handler());
  EXPECT_EQ(handler_of(routes, "/c/d"), handler_of(routes, "/*")) << "every other path";
  EXPECT_NE(handler_of(routes, "/"), handler_of(routes, "/*"));
  EXPECT_EQ(handler_of(routes, "/a/c"), handler_of(routes, "/a/"));
}

TEST(Routes, HeadUsesTheHandlerOfGetUnlessItHasItsOwn) {
  Routes routes;
  routes.add("GET", "/a", any_handler());
  routes.add("POST", "/b", any_handler());
  EXPECT_TRUE(is_handler(routes.find("HEAD", "/a", false)));
  EXPECT_EQ(allowed(routes.find("HEAD", "/b", false)), "POST");
}

TEST(Routes, AnotherMethodIsNotAllowedAndTheAllowedOnesAreListed) {
  Routes routes;
  routes.add("PUT", "/a", any_handler());
  routes.add("GET", "/a", any_handler());
  EXPECT_EQ(allowed(routes.find("DELETE", "/a", false)), "GET, HEAD, PUT");
  EXPECT_EQ(allowed(routes.find("get", "/a", false)), "GET, HEAD, PUT");
}

TEST(Routes, AWebSocketPathMatchesUpgradesAndMayAlsoBeAPage) {
  Routes routes;
  routes.add_websocket("/stats", any_websocket_handler());
  routes.add_websocket("/both", any_websocket_handler());
  routes.add("GET", "/both", any_handler());
  routes.add("GET", "/page", any_handler());
  const auto is_websocket = [&](const char* path, bool wants) {
    return std::holds_alternative<const WebSocketHandler*>(routes.find("GET", path, wants));
  };
  EXPECT_TRUE(is_websocket("/stats", true));
  EXPECT_TRUE(is_websocket("/both", true));
  EXPECT_FALSE(is_websocket("/both", false));
  EXPECT_FALSE(is_websocket("/page", true));
  EXPECT_TRUE(std::holds_alternative<Routes::WebSocketOnly>(routes.find("GET", "/stats", false)));
}

TEST(RoutesDeathTest, ARouteAddedTwiceIsADefect) {
  Routes routes;
  routes.add("GET", "/a", any_handler());
  EXPECT_DEATH(routes.add("GET", "/a", any_handler()), "a route is added once");
  EXPECT_DEATH(routes.add("GET", "a", any_handler()), "starts with '/'");
}

}  // namespace
}  // namespace bellows::http
