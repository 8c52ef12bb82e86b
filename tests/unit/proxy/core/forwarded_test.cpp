// By which protocol the client came. The lines for the app: header_rules_test.cpp.
#include "proxy/core/forwarded.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::proxy {
namespace {

bool is_https_with(const std::string& lines, std::string_view scheme, bool trusts_client) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete()) << text;
  return is_https(head.fields, scheme, trusts_client);
}

TEST(ClientProtocol, IsThatOfTheConnectionOrOfATrustedProxy) {
  EXPECT_TRUE(is_https_with("", "https", true));
  EXPECT_FALSE(is_https_with("", "http", true));
  EXPECT_FALSE(is_https_with("X-Forwarded-Proto: https\r\n", "http", false));
  EXPECT_FALSE(is_https_with("Forwarded: proto=https\r\n", "http", false));
  EXPECT_TRUE(is_https_with("X-Forwarded-Proto: http\r\n", "https", false));
}

TEST(ClientProtocol, IsWhatATrustedProxySaysOfTheFirstHop) {
  const char* https[] = {"X-Forwarded-Proto: https\r\n", "X-Forwarded-Proto: HTTPS, http\r\n",
                         "Forwarded: for=192.0.2.1;Proto=https;host=a\r\n",
                         "Forwarded: for=192.0.2.1; proto=\"https\", for=10.0.0.1;proto=http\r\n",
                         "X-Forwarded-Proto:\r\nForwarded: proto=https\r\n"};
  for (const char* lines : https) EXPECT_TRUE(is_https_with(lines, "http", true)) << lines;
  const char* http[] = {"X-Forwarded-Proto: http, https\r\n",
                        "Forwarded: for=192.0.2.1;proto=http, for=10.0.0.1;proto=https\r\n",
                        "X-Forwarded-Proto: http\r\nForwarded: proto=https\r\n"};
  for (const char* lines : http) EXPECT_FALSE(is_https_with(lines, "https", true)) << lines;
  EXPECT_TRUE(is_https_with("Forwarded: for=192.0.2.1\r\n", "https", true)) << "it does not say";
}

}  // namespace
}  // namespace bellows::proxy
