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

}  // namespace
}  // namespace bellows
