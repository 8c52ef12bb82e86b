#include "cli/status/top_view.hpp"
#include "report/text_table.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace bellows::cli {
namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

ServiceStatus service(std::string name, double load) {
  ServiceStatus revision;
  revision.name = std::move(name);
  revision.state = "Active";
  revision.mode = "stable";
  revision.target = 7;
  revision.desired = revision.ready = 2;
  revision.because =
      "31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5; limited to 4 by max-scale";
  revision.replicas = {{.name = revision.name + "-1",
                        .phase = "ready",
                        .in_flight = load,
                        .trouble = {},
                        .restarted_because = {},
                        .cpu = Millicores{250},
                        .memory = mebibytes(14),
                        .start_took = kSecond,
                        .cpu_request = {},
                        .memory_request = {},
                        .memory_limit = {}}};
  return revision;
}

std::string text_of(const std::vector<std::string>& lines) {
  return std::accumulate(
      lines.begin(), lines.end(), std::string(),
      [](std::string all, const std::string& line) { return all + line + "\n"; });
}

std::string screen(TopView& view, const Status& status) {
  view.add(status);
  return text_of(view.lines(status, 80));
}

TEST(TopView, ChartsTheBusiestAndSaysWhich) {
  TopView view("", kSecond);
  const std::string text = screen(view, {.services = {service("api", 2), service("web", 30)}});
  EXPECT_NE(text.find("the last 1s of the busiest, web"), std::string::npos) << text;
  EXPECT_NE(text.find("web-1"), std::string::npos) << text;
  EXPECT_EQ(text.find("api-1"), std::string::npos) << "replicas of the charted service only";
}

TEST(TopView, DoesNotJumpBetweenServicesOfSimilarLoad) {
  TopView view("", kSecond);
  screen(view, {.services = {service("api", 20), service("web", 30)}});
  EXPECT_NE(screen(view, {.services = {service("api", 33), service("web", 30)}})
                .find("of the busiest, web"),
            std::string::npos);
  EXPECT_NE(screen(view, {.services = {service("api", 90), service("web", 30)}})
                .find("of the busiest, api"),
            std::string::npos);
}

TEST(TopView, ChartsTheNamedServiceOrSaysThatThereIsNone) {
  TopView named("api", kSecond);
  const std::string text = screen(named, {.services = {service("api", 2), service("web", 30)}});
  EXPECT_NE(text.find("the last 1s of api"), std::string::npos) << text;
  TopView unknown("shop", kSecond);
  EXPECT_NE(screen(unknown, {.services = {service("api", 2)}}).find("no service shop to chart"),
            std::string::npos);
}

TEST(TopView, EveryLineFitsTheTerminal) {
  Status status{.services = {service(std::string(63, 'a'), 123456), service("web", 30)}};
  status.services[0].starting = 128;
  status.services[0].desired = 10'000;
  status.services[0].trouble = "web-1: " + std::string(200, 'x') + " and more words that say why";
  status.services[0].replicas[0].trouble = std::string(300, 'y');
  for (int i = 0; i < 50; ++i) status.services.push_back(service("svc-" + std::to_string(i), i));
  TopView view("", kSecond);
  for (int turn = 0; turn < 300; ++turn) view.add(status);
  for (const std::size_t width : {80U, 120U}) {
    for (const std::string& line : view.lines(status, width))
      EXPECT_LE(report::display_width(line), width) << line;
  }
  const std::string text = text_of(view.lines(status, 80));
  EXPECT_NE(text.find("and 36 more services with less load"), std::string::npos) << text;
  EXPECT_NE(text.find("the last 4m of the busiest"), std::string::npos) << text;
}

}  // namespace
}  // namespace bellows::cli
