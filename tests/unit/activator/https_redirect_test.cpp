#include "activator/core/https_redirect.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace bellows::activator {
namespace {

std::string location_of(const std::string& request, std::uint16_t port) {
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  if (!parser.read(request, *head).is_complete()) return "refused";
  return https_location(*head, port).value_or("none");
}

TEST(HttpsRedirect, KeepsHostPathAndQuery) {
  struct Row {
    const char* request;
    std::uint16_t port;
    const char* location;
  };
  const std::vector<Row> table = {
      {"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", 443, "https://a.example/"},
      {"GET /b?c=d HTTP/1.1\r\nHost: a.example:80\r\n\r\n", 443, "https://a.example/b?c=d"},
      {"GET /b HTTP/1.1\r\nHost: a.example:8080\r\n\r\n", 8443, "https://a.example:8443/b"},
      {"GET / HTTP/1.1\r\nHost: [2001:db8::1]\r\n\r\n", 443, "https://[2001:db8::1]/"},
      {"GET / HTTP/1.1\r\nHost: [2001:db8::1]:80\r\n\r\n", 8443, "https://[2001:db8::1]:8443/"},
      {"GET http://a.example/b HTTP/1.1\r\nHost: a.example\r\n\r\n", 443, "https://a.example/b"},
      {"OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n", 443, "https://a.example/"},
      {"GET / HTTP/1.0\r\n\r\n", 443, "none"},
      {"GET //evil.example/b HTTP/1.1\r\nHost: a.example\r\n\r\n", 443,
       "https://a.example//evil.example/b"},
  };
  for (const Row& row : table) EXPECT_EQ(location_of(row.request, row.port), row.location);
}

TEST(AcmeToken, IsTheNameOfOneFileAndNothingElse) {
  const std::string base = "/.well-known/acme-challenge/";
  EXPECT_EQ(acme_token(base + "aZ09-_"), "aZ09-_");
  EXPECT_EQ(acme_token(base + std::string(128, 'a')), std::string(128, 'a'));
  for (const char* const path : {"/", "/.well-known/", "/.well-known/acme-challenge", "/a"}) {
    EXPECT_EQ(acme_token(path), std::nullopt) << path;
  }
  for (const std::string& rest :
       {std::string(), std::string("."), std::string(".."), std::string("a/b"), std::string("a.b"),
        std::string("../a"), std::string("%2e%2e"), std::string("a%00"), std::string("a\\b"),
        std::string(129, 'a')}) {
    EXPECT_EQ(acme_token(base + rest), "") << rest;
  }
}

}  // namespace
}  // namespace bellows::activator
