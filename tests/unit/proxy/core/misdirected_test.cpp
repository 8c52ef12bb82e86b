#include "proxy/core/misdirected.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace bellows::proxy {
namespace {

/// The host that the certificate has to be for, too; "same": no other than that of the handshake.
std::string other(const std::string& host, const std::string& server_name,
                  const std::string& lines = "", bool is_trusted = true) {
  const std::string text = "GET / HTTP/1.1\r\nHost: " + host + "\r\n" + lines + "\r\n";
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  if (!parser.read(text, *head).is_complete()) return "refused";
  return std::string(other_host(*head, server_name, is_trusted).value_or("same"));
}

TEST(Misdirected, IsNoRequestForTheHostOfTheHandshake) {
  EXPECT_EQ(other("shop.example", "shop.example"), "same");
  EXPECT_EQ(other("SHOP.example:8443", "shop.Example"), "same");
  EXPECT_EQ(other("shop.example.:8443", "shop.example"), "same");
  EXPECT_EQ(other("shop.example", "shop.example."), "same");
}

TEST(Misdirected, MayBeARequestForAnotherHost) {
  EXPECT_EQ(other("mail.example:443", "shop.example"), "mail.example");
  EXPECT_EQ(other("a.shop.example", "shop.example"), "a.shop.example");
  EXPECT_EQ(other("[::1]:8443", "localhost"), "::1");
  EXPECT_EQ(other("127.0.0.1", "localhost"), "127.0.0.1");
}

TEST(Misdirected, IsNoRequestOfACallerThatNamedNoHost) {
  EXPECT_EQ(other("mail.example", ""), "same");
  EXPECT_EQ(other("", "shop.example"), "same");
}

TEST(Misdirected, IsNoRequestThatATrustedProxyForwards) {
  for (const char* line : {"Forwarded: for=1.2.3.4\r\n", "X-Forwarded-For: 1.2.3.4\r\n",
                           "X-Forwarded-Proto: https\r\n", "X-Forwarded-Host: a\r\n"}) {
    EXPECT_EQ(other("mail.example", "inner.example", line), "same") << line;
    EXPECT_EQ(other("mail.example", "inner.example", line, false), "mail.example") << line;
  }
}

TEST(Misdirected, ReplyNamesBothHosts) {
  const LocalReply reply = misdirected_reply("mail.example", "shop.example");
  EXPECT_EQ(reply.status, 421);
  EXPECT_EQ(reply.body,
            "request: its host is mail.example, and this connection was made to shop.example with "
            "a certificate that is not for it; want another connection\n");
}

}  // namespace
}  // namespace bellows::proxy
