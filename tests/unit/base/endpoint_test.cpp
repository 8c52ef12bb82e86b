#include "base/endpoint.hpp"

#include <gtest/gtest.h>

namespace bellows {
namespace {

TEST(EndpointText, ReadsAndPrintsEveryForm) {
  for (const char* text :
       {"127.0.0.1:8080", "[::1]:80", "unix:/tmp/bellows.sock", "web.internal:0"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_TRUE(endpoint.has_value()) << text;
    EXPECT_EQ(to_string(*endpoint), text);
  }
}

TEST(EndpointText, WithoutHostMeansAllAddresses) {
  EXPECT_EQ(parse_endpoint(":8080")->host, "0.0.0.0");
}

TEST(EndpointText, NamesWhatIsValid) {
  for (const char* text : {"", "8080", "host:", "host:65536", "host:8o", "::1:80", "unix:"}) {
    const auto endpoint = parse_endpoint(text);
    ASSERT_FALSE(endpoint.has_value()) << text;
    EXPECT_NE(to_string(endpoint.error()).find("want HOST:PORT"), std::string::npos) << text;
  }
}

TEST(EndpointText, HasAHostOfLettersThatHostsHave) {
  for (const char* host : {"example.com", "a-b_c", "127.0.0.1", "[::1]", "[fe80::1%eth0]", "*"}) {
    EXPECT_TRUE(parse_endpoint(std::string(host) + ":80")) << host;
  }
  for (const std::string& host :
       {std::string("a b"), std::string("a\r\nX: y"), std::string("[::1\0]", 6), std::string("a@b"),
        std::string("a/b"), std::string("a?b"), std::string("\xc3\xa9")}) {
    EXPECT_FALSE(parse_endpoint(host + ":80")) << host;
  }
  EXPECT_FALSE(parse_endpoint(std::string("unix:/a\0b", 9)));
}

TEST(Endpoints, OverlapWithTheSamePortAtTheSameOrAtAllAddresses) {
  struct Row {
    const char* one;
    const char* other;
    bool overlap;
  };
  for (const auto& [one, other, expected] : {Row{"127.0.0.1:80", "127.0.0.1:80", true},
                                             {"0.0.0.0:80", "127.0.0.1:80", true},
                                             {":80", "localhost:80", true},
                                             {"localhost:80", "127.0.0.1:80", true},
                                             {"[::]:80", "127.0.0.1:80", true},
                                             {"[::]:80", "[::1]:80", true},
                                             {"0.0.0.0:80", "[::1]:80", false},
                                             {"127.0.0.1:80", "127.0.0.2:80", false},
                                             {"127.0.0.1:80", "127.0.0.1:81", false},
                                             {"127.0.0.1:0", "127.0.0.1:0", false},
                                             {"unix:/a", "unix:/a", true},
                                             {"unix:/a", "unix:/b", false},
                                             {"unix:/a", "127.0.0.1:80", false}}) {
    EXPECT_EQ(overlap(*parse_endpoint(one), *parse_endpoint(other)), expected)
        << one << " and " << other;
    EXPECT_EQ(overlap(*parse_endpoint(other), *parse_endpoint(one)), expected)
        << other << " and " << one;
  }
}

}  // namespace
}  // namespace bellows
