#include "machine/core/state_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "machine/core/difference.hpp"
#include "tests/unit/machine/core/sample_service.hpp"

namespace bellows::machine {
namespace {

Records sample_records() {
  config::Service shop = sample_service("shop", "./shop");
  shop.environment = {{"TOKEN", "a \"quoted\" one\n"}};
  shop.working_directory = "/srv";
  shop.environment_file = "/etc/shop.env";
  shop.user = "shop";
  shop.no_new_privileges = true;
  shop.settings.container_concurrency = 3;
  shop.settings.readiness_path = "/ready";
  Records records = at_start({}, {sample_service("web"), shop}).records;
  ServiceRecord& web = records.at(RevisionId("web"));
  config::Service second = sample_service("web", "./web-2");
  second.route = web.route;
  web.under_way = "deploy to web-00003=100";
  web.before_canary = {{1, 100}};
  RevisionRecord& revision = revision_for(web, second);
  revision.was_ready = true;
  set_shares(web, {{1, 30}, {2, 70}});
  web.tags = {{"canary", 2}, {"old", 1}};
  revision_for(web, sample_service("web", "./broken")).failure = "it exited with code 3";
  ServiceRecord removed = new_service(sample_service("mail"));
  removed.declared = sample_service("mail");
  removed.revisions.clear();
  records.emplace(RevisionId("mail"), std::move(removed));
  return records;
}

std::string text_of(const Records& records) {
  std::map<RevisionId, std::string> lines;
  for (const auto& [name, record] : records) lines.emplace(name, state_line(record));
  return state_text(lines);
}

std::string error_of(const std::string& text) {
  const auto records = read_state(text);
  return records ? "read" : to_string(records.error());
}

TEST(StateText, IsReadBackToTheSameRecords) {
  const Records records = sample_records();
  const auto read = read_state(text_of(records));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, records);
  EXPECT_EQ(text_of(*read), text_of(records));
}

TEST(StateText, CutShortAnywhereIsRefusedWhole) {
  const std::string text = text_of(sample_records());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    const auto read = read_state(text.substr(0, length));
    ASSERT_FALSE(read) << length;
    EXPECT_EQ(to_string(read.error()).find('\n'), std::string::npos) << "one line";
  }
}

TEST(StateText, WithSharesThatDoNotAddUpIsRefusedWithTheSum) {
  std::string text = text_of(sample_records());
  text.replace(text.find("\"share\":70"), 10, "\"share\":60");
  EXPECT_NE(error_of(text).find("the shares add up to 90, want 100"), std::string::npos)
      << error_of(text);
}

TEST(StateText, WithATagOfARevisionThatIsNotThereIsRefused) {
  std::string text = text_of(sample_records());
  text.replace(text.find("\"canary\":2"), 10, "\"canary\":9");
  EXPECT_NE(error_of(text).find("canary: 9: want the number of a revision that there is"),
            std::string::npos)
      << error_of(text);
}

TEST(StateText, OfANewerVersionIsRefused) {
  EXPECT_NE(error_of("{\"version\":2,\"services\":[]}").find("version"), std::string::npos);
}

TEST(StateText, WithANumberTwiceOrBeyondTheNextOneIsRefused) {
  std::string text = text_of(sample_records());
  const std::size_t at = text.find("\"number\":2");
  EXPECT_NE(error_of(std::string(text).replace(at, 10, "\"number\":1")), "read");
  EXPECT_NE(error_of(std::string(text).replace(at, 10, "\"number\":9")), "read");
}

TEST(StateText, KeepsHowAnAppIsStartedAndStopped) {
  config::Service service = sample_service();
  service.is_starter = true;
  service.stop = {"systemctl", "stop", "web"};
  service.settings.port = 3000;
  service.settings.max_scale = 1;
  const Records before = at_start({}, {service}).records;
  const auto read = read_state(text_of(before));
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(*read, before);
}

}  // namespace
}  // namespace bellows::machine
