#include "simulator/app_model.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

TEST(AppModel, DefaultsToTheMediumPreset) {
  EXPECT_EQ(*parse_app_model(""), *parse_app_model("medium"));
  EXPECT_EQ(parse_app_model("")->start, Distribution::fixed(2s));
}

TEST(AppModel, PresetsDifferInTheStartTime) {
  EXPECT_EQ(parse_app_model("fast")->start, Distribution::fixed(500ms));
  EXPECT_EQ(parse_app_model("slow")->start, Distribution::fixed(20s));
}

TEST(AppModel, ReadsEveryKeyAfterAPreset) {
  const auto app = parse_app_model(
      "slow,service=lognormal(200ms,0.5),workers=4,cpu=20ms,cores=0.5,crash=1h,crash-at-start=5%");
  ASSERT_TRUE(app);
  EXPECT_EQ(app->start, Distribution::fixed(20s));
  EXPECT_EQ(app->service, Distribution::lognormal(200ms, 0.5));
  EXPECT_EQ(app->workers, 4);
  EXPECT_EQ(app->cpu, 20ms);
  EXPECT_EQ(app->cores, 0.5);
  EXPECT_EQ(app->crash, 1h);
  EXPECT_EQ(app->crash_at_start, 0.05);
  EXPECT_EQ(*parse_app_model(to_string(*app)), *app);
}

TEST(AppModel, EveryModelOfSharingReadsItsOwnText) {
  for (const std::string_view text :
       {"ps,cores=2", "ps,cores=1", "usl,s=0.03,k=0.002", "slow,memory", "gc,gc-every=10",
        "downstream,downstream=7", "bimodal,slow-share=1%", "warm-up,warm-up=10s",
        "change,change-at=30m,change-factor=3", "ps,noise-every=1m,noise-for=6s,noise-factor=4"}) {
    const auto app = parse_app_model(text);
    ASSERT_TRUE(app) << text << to_string(app.error());
    EXPECT_EQ(*parse_app_model(to_string(*app)), *app) << to_string(*app);
  }
}

TEST(AppModel, ProblemsNameKeyValueAndWhatIsValid) {
  const auto problem = [](std::string_view text) {
    return to_string(parse_app_model(text).error());
  };
  EXPECT_EQ(problem("quick"),
            "app: preset: \"quick\": want fast, medium, slow, ps, usl, memory, gc, downstream, "
            "bimodal, warm-up or change first, then key=value");
  EXPECT_EQ(problem("workers=1,slow"), "app: part: \"slow\": want key=value");
  EXPECT_EQ(problem("s=2"), "app: s: \"2\": want a number from 0 to 1");
  EXPECT_EQ(problem("memory=5"), "app: memory: \"5\": want an amount from 0Mi to 1000000Mi");
  EXPECT_EQ(problem("workers=-1"), "app: workers: \"-1\": want a whole number >= 0");
  EXPECT_EQ(problem("crash-at-start=0.1"),
            "app: crash-at-start: \"0.1\": want a percentage from 0% to 90%");
  EXPECT_EQ(problem("cpu=20"), "app: cpu: \"20\": want a duration such as 20ms; 0 for none");
  EXPECT_EQ(problem("worker=3"),
            "app: key: \"worker\": want workers? (one of start, service, workers, cpu, cores, "
            "crash, crash-at-start, s, k, downstream, warm-up, cold-factor, change-at, "
            "change-factor, gc-every, gc-pause, slow-share, slow-factor, memory, "
            "memory-per-request, memory-limit, noise-every, noise-for, noise-factor)");
}

}  // namespace
}  // namespace bellows::simulator
