#include "cluster/core/app_line.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "json/writer.hpp"

namespace bellows::cluster {
namespace {

std::string withheld(std::string page) {
  withhold_app_lines(page);
  return page;
}

TEST(AppLine, StandsBehindHowTheAppEnded) {
  EXPECT_EQ(with_app_line("exited with code 3", "no database"),
            "exited with code 3, last line: no database");
}

TEST(AppLine, IsRemovedFromAPageWhateverItSays) {
  const std::vector<std::string> lines = {
      "no database",   "",         "a \"quote\" at its end\"",       "a backslash \\", "\\\"",
      "\x1b[2J\t\x01", "\xc3\xa9", "one, last line: within another", "{\"a\": [1]}"};
  for (const std::string& line : lines) {
    json::Writer page;
    page.text("trouble", "web-1: the app " + with_app_line("exited with code 3", line))
        .text("name", "web")
        .text("because", with_app_line("exited with code 4", line));
    EXPECT_EQ(withheld(page.end()),
              R"({"trouble":"web-1: the app exited with code 3","name":"web",)"
              R"("because":"exited with code 4"})")
        << line;
  }
}

TEST(AppLine, IsRemovedFromTextAndFromAPageThatIsCut) {
  EXPECT_EQ(withheld("a: " + with_app_line("exited", "x") + "\nb\n"), "a: exited\nb\n");
  EXPECT_EQ(withheld("{\"a\":\"" + with_app_line("exited", "x\\")), "{\"a\":\"exited");
  EXPECT_EQ(withheld(""), "");
  EXPECT_EQ(withheld("{\"a\":\"exited with code 3\"}"), "{\"a\":\"exited with code 3\"}");
}

}  // namespace
}  // namespace bellows::cluster
