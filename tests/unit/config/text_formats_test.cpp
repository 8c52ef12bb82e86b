#include "config/text_formats.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

void expect(const TextFormat& format, const std::vector<std::string>& valid,
            const std::vector<std::string>& refused) {
  for (const std::string& text : valid) EXPECT_EQ(format.read(text), text) << format.want;
  for (const std::string& text : refused) {
    EXPECT_EQ(format.read(text), std::nullopt) << text << " is not " << format.want;
  }
}

TEST(TextFormats, RecognizeNamesThatAreDnsLabels) {
  expect(name_format(), {"web", "api-2", "0", std::string(63, 'a')},
         {"", "-web", "web-", "Web", "a.b", "a_b", "ä", std::string(64, 'a')});
}

TEST(TextFormats, RecognizeRevisionsWithAndWithoutANamespace) {
  const std::string longest = std::string(63, 'n') + "/" + std::string(63, 'a') + "." +
                              std::string(63, 'b') + "." + std::string(63, 'c') + "." +
                              std::string(61, 'd');
  EXPECT_EQ(longest.size(), 317u);
  expect(revision_format(), {"web", "shop/web", "shop/web.v2", longest},
         {"", "/", "shop/", "/web", "shop/web/x", "Shop/web", "a.b/web", "web.v2", longest + "d"});
}

TEST(TextFormats, RecognizePaths) {
  expect(path_format(), {"", "/", "/healthz", "/a/b%20c"},
         {"healthz", "/a b", "/a?b", "/a#b", "/a\tb", "/ä", std::string("/\0", 2)});
}

TEST(TextFormats, RecognizePathPrefixes) {
  expect(path_prefix_format(), {"", "/api", "/api/v1"}, {"api", "/", "/api/", "/a?b"});
}

TEST(TextFormats, RecognizeHosts) {
  expect(host_format(), {"localhost", "127.0.0.1", "::1", "a.example", "A.Example"},
         {"", "a:80", "[::1]", "a..b", "/x"});
  expect(host_pattern_format(), {"", "web.localhost", "127.0.0.1", "*.web.localhost", "*.a"},
         {"*", "*.", "*a.b", "a.*", "*.*.a", "web.localhost:8080", "a_b", ".a", "a.", "::1",
          std::string(254, 'a')});
}

TEST(TextFormats, KeepHostNamesInLowerCase) {
  EXPECT_EQ(host_pattern_format().read("Web.LocalHost"), "web.localhost");
}

}  // namespace
}  // namespace bellows::config
