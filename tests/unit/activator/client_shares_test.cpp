#include "activator/core/client_shares.hpp"

#include <gtest/gtest.h>

#include <map>

namespace bellows::activator {
namespace {

/// A head with these lines, whose fields are asked.
class CookieCaller {
 public:
  explicit CookieCaller(const std::string& lines)
      : text_("GET / HTTP/1.1\r\nHost: x\r\n" + lines + "\r\n") {
    http::HeadParser parser;
    EXPECT_TRUE(parser.read(text_, head_).is_complete()) << text_;
  }
  const http::Fields& fields() const { return head_.fields; }

 private:
  std::string text_;
  http::RequestHead head_;
};

ClientShares shares(const config::CallerSettings& settings, std::int32_t one, std::int32_t two) {
  return ClientShares(settings, "bellows-web", {{"web", one}, {"web-00002", two}});
}

config::CallerSettings by_cookie() {
  config::CallerSettings settings;
  settings.split_by = config::SplitBy::kClient;
  return settings;
}

config::CallerSettings by_header() {
  config::CallerSettings settings = by_cookie();
  settings.client_header = "x-user";
  return settings;
}

std::string user(int number) {
  return "X-User: user-" + std::to_string(number) + "\r\n";
}

TEST(ClientCookie, IsFoundAmongOthersAndReadBack) {
  EXPECT_EQ(set_cookie_line("bellows-web", RevisionId("web-00002"), "web-00002-3", false),
            "Set-Cookie: bellows-web=web-00002:web-00002-3; Path=/; HttpOnly; SameSite=Lax\r\n");
  EXPECT_EQ(set_cookie_line("bellows-web", RevisionId("web"), "", true),
            "Set-Cookie: bellows-web=web; Path=/; HttpOnly; SameSite=Lax; Secure\r\n");
  const CookieCaller caller(
      "Cookie: a=b; bellows-web2=x;bellows-web=web-00002:web-00002-3 ; c=d\r\n");
  const auto served = served_by(caller.fields(), "bellows-web");
  ASSERT_TRUE(served);
  EXPECT_EQ(served->revision, "web-00002");
  EXPECT_EQ(served->replica, "web-00002-3");
  EXPECT_EQ(served_by(caller.fields(), "bellows-web2")->revision, "x");
  EXPECT_EQ(served_by(caller.fields(), "bellows-web2")->replica, "");
  for (const char* lines : {"", "Cookie: \r\n", "Cookie: bellows-web\r\n", "Cookie: ;;=;\r\n",
                            "Cookie: xbellows-web=1\r\n", "X-Cookie: bellows-web=1\r\n"}) {
    EXPECT_FALSE(served_by(CookieCaller(lines).fields(), "bellows-web")) << lines;
  }
  EXPECT_EQ(client_cookie_name(RevisionId("shop/web")), "bellows-shop.web");
}

TEST(ClientShares, OfRequestsLeaveEachRequestToTheShares) {
  const CookieCaller caller("Cookie: bellows-web=web\r\nX-User: a\r\n");
  EXPECT_EQ(shares({}, 50, 50).choice_of(caller.fields()), std::nullopt);
}

TEST(ClientShares, ByCookieKeepAClientAsLongAsItsRevisionHasAShare) {
  const CookieCaller caller("Cookie: bellows-web=web:web-1\r\n");
  EXPECT_EQ(shares(by_cookie(), 50, 50).choice_of(caller.fields()), 0U);
  EXPECT_EQ(shares(by_cookie(), 1, 99).choice_of(caller.fields()), 0U);
  EXPECT_EQ(shares(by_cookie(), 0, 100).choice_of(caller.fields()), std::nullopt);
  EXPECT_EQ(shares(by_cookie(), 50, 50).choice_of(CookieCaller("").fields()), std::nullopt);
  EXPECT_EQ(
      shares(by_cookie(), 50, 50).choice_of(CookieCaller("Cookie: bellows-web=other\r\n").fields()),
      std::nullopt);
}

TEST(ClientShares, OfASessionKeepItsRevisionToo) {
  config::CallerSettings sticky;
  sticky.session_affinity = config::SessionAffinity::kCookie;
  const CookieCaller caller("Cookie: bellows-web=web-00002:web-00002-1\r\n");
  EXPECT_EQ(shares(sticky, 50, 50).choice_of(caller.fields()), 1U);
}

TEST(ClientShares, ByHeaderAreTheSharesOfClientsAndAlwaysTheSame) {
  const ClientShares tenth = shares(by_header(), 90, 10);
  constexpr int kClients = 10000;
  int second = 0;
  for (int i = 0; i < kClients; ++i) {
    const CookieCaller caller(user(i));
    const auto choice = tenth.choice_of(caller.fields());
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice, tenth.choice_of(caller.fields()));
    if (*choice == 1) ++second;
  }
  EXPECT_NEAR(second, kClients / 10, kClients / 100) << "1 %";
  EXPECT_EQ(tenth.choice_of(CookieCaller("").fields()), std::nullopt) << "no header";
}

TEST(ClientShares, ByHeaderMoveOnlyTheClientsThatAChangeOfSharesNeeds) {
  const ClientShares before = shares(by_header(), 90, 10);
  const ClientShares after = shares(by_header(), 75, 25);
  constexpr int kClients = 10000;
  std::map<std::pair<std::size_t, std::size_t>, int> moved;
  for (int i = 0; i < kClients; ++i) {
    const CookieCaller caller(user(i));
    ++moved[{*before.choice_of(caller.fields()), *after.choice_of(caller.fields())}];
  }
  EXPECT_EQ((moved[{1, 0}]), 0) << "nobody leaves the revision that gains";
  EXPECT_NEAR((moved[{0, 1}]), kClients * 15 / 100, kClients / 100);
}

}  // namespace
}  // namespace bellows::activator
