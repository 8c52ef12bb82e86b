// Every setting of the policies, by its name: one load, once as it is usual and once with the
// setting, and the number that it moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <set>
#include <sstream>

#include "base/number_text.hpp"
#include "json/writer.hpp"
#include "recommender/replay/recommender_filter.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

/// Lines of a replay; time in minutes, CPU in millicores, memory in MiB.
class Load {
 public:
  Load& cpu(double minute, double millicores, const std::string& pod = "") {
    return line(minute, pod, R"("cpu-cores":)" + shortest_text(millicores / 1000));
  }
  Load& memory(double minute, double mebibytes, const std::string& pod = "") {
    return line(minute, pod,
                R"("memory-bytes":)" + shortest_text(mebibytes * static_cast<double>(kMi)));
  }
  Load& both(double from, double to, double every, double amount) {
    for (double minute = from; minute <= to; minute += every) {
      cpu(minute, amount).memory(minute, amount);
    }
    return *this;
  }
  Load& request(double minute, double amount, const std::string& pod = "") {
    return line(minute, pod,
                R"("request":{"cpu-cores":)" + shortest_text(amount / 1000) +
                    R"(,"memory-bytes":)" + shortest_text(amount * static_cast<double>(kMi)) + "}");
  }
  Load& event(double minute, const std::string& event, const std::string& pod = "") {
    return line(minute, pod, R"("event":)" + event);
  }
  Load& ask(double minute) {
    lines_ += R"({"at":)" + shortest_text(minute * kMinute) + R"(,"recommend":true})" + "\n";
    return *this;
  }
  Load& other_container(double minute) {
    lines_ += R"({"at":)" + shortest_text(minute * kMinute) +
              R"(,"container":"other","cpu-cores":0.1})" + "\n";
    return *this;
  }
  std::string lines() const { return lines_; }

 private:
  Load& line(double minute, const std::string& pod, const std::string& what) {
    lines_ += R"({"at":)" + shortest_text(minute * kMinute) + R"(,"container":"app","pod":")" +
              pod + "\"," + what + "}\n";
    return *this;
  }
  std::string lines_;
};

// --- loads

/// A day of 40 replicas: 21 at 100, 16 at 400, 3 at 1000.
Load mixed() {
  Load load;
  for (int minute = 0; minute < 1440; ++minute) {
    const int pod = minute * 7 % 40;
    const int amount = pod < 21 ? 100 : pod < 37 ? 400 : 1000;
    load.cpu(minute, amount, std::to_string(pod));
    if (minute < 40) load.memory(minute, amount, std::to_string(pod));
  }
  return load.ask(1440);
}
Load small() {
  return Load().both(5, 5, 1, 10).ask(6);
}
Load killed() {
  return Load().request(0, 256).memory(5, 100).event(6, R"("oom","memory-bytes":268435456)").ask(7);
}
/// 450 of 500.
Load busy() {
  return Load().request(0, 500).both(0.5, 0.5, 1, 450).ask(0.75);
}
/// 100 of 1000.
Load idle() {
  return Load().request(0, 1000).both(0, 31, 1, 100).ask(31);
}
/// Of 4000: 900 shortly before a window of 30 min ends.
Load peak_in_the_last_window() {
  return Load()
      .request(0, 4000)
      .both(0, 27, 1, 100)
      .both(28, 28, 1, 900)
      .both(29, 31, 1, 100)
      .ask(31);
}
Load crashed_once() {
  return Load().request(0, 500).event(1, "\"crash\"").ask(2);
}
Load a_little_above_what_it_has() {
  return Load().request(0, 400).both(5, 5, 1, 370).ask(6);
}
/// An hour at 1000, then four at 100.
Load busy_hour() {
  Load load;
  load.request(0, 100);
  for (int minute = 5; minute <= 300; minute += 5)
    load.both(minute, minute, 1, minute <= 60 ? 1000 : 100).ask(minute);
  return load;
}
/// Down from 1000 by stages of three hours.
Load stairs() {
  Load load;
  load.request(0, 100);
  for (int minute = 10; minute <= 720; minute += 10) {
    load.both(minute, minute, 1,
              minute <= 180   ? 1000
              : minute <= 360 ? 500
              : minute <= 540 ? 250
                              : 125)
        .ask(minute);
  }
  return load;
}

// --- the table

struct SettingsRow {
  const char* setting;
  const char* value;  ///< JSON
  const char* policy;
  Load (*load)();
  const char* number;  ///< "target cpu"
  double usual;        ///< 0: nothing is said
  double with;
  const char* base = "";  ///< settings of both
};

/// The last recommendation for "app".
boost::json::object answer(const SettingsRow& row, bool with) {
  config::Layer flags;
  if (*row.policy != 0) flags.push_back(config::flag("policy", row.policy));
  RecommenderFilter filter(flags);
  std::string config = row.base;
  if (with) {
    config += (config.empty() ? "\"" : ",\"") + std::string(row.setting) + "\":" + row.value;
  }
  std::istringstream in("{\"config\":{" + config + "}}\n" + row.load().lines());
  std::stringstream out;
  const auto fed = replay::feed(filter, in, out);
  EXPECT_TRUE(fed.has_value()) << to_string(fed.error());
  boost::json::object last;
  for (std::string line; std::getline(out, line);) {
    const auto read = boost::json::parse(line).as_object();
    if (read.at("container").as_string() == "app") last = read;
  }
  return last;
}

double number_of(const boost::json::object& answer, const std::string& number) {
  const std::size_t split = number.find(' ');
  const auto* sizes = answer.if_contains(number.substr(0, split));
  if (sizes == nullptr || !sizes->is_object()) return 0;
  const bool is_cpu = number.substr(split + 1) == "cpu";
  const auto* amount = sizes->as_object().if_contains(is_cpu ? "cpu-millicores" : "memory-bytes");
  if (amount == nullptr) return 0;
  return amount->to_number<double>() / (is_cpu ? 1. : static_cast<double>(kMi));
}

class EverySetting : public testing::TestWithParam<SettingsRow> {};

TEST_P(EverySetting, MovesItsNumber) {
  const SettingsRow& row = GetParam();
  for (const bool with : {false, true}) {
    const boost::json::object recommendation = answer(row, with);
    EXPECT_NEAR(number_of(recommendation, row.number), with ? row.with : row.usual, 0.5)
        << (with ? "with " : "without ") << row.setting << "\n"
        << recommendation;
  }
}

// clang-format off
const std::vector<SettingsRow> kRows{
    {"policy", "\"vpa\"", "", mixed, "upper-bound cpu", 1875, 2336},

    {"pod-recommendation-min-cpu-millicores", "100", "vpa", small, "target cpu", 25, 100},
    {"pod-recommendation-min-memory-mb", "500", "vpa", small, "target memory", 250, 500},

    {"target-cpu-percentile", "0.4", "vpa", mixed, "target cpu", 476, 126},
    {"target-memory-percentile", "0.4", "vpa", mixed, "target memory", 488.1, 250},
    {"recommendation-margin-fraction", "0", "vpa", mixed, "target cpu", 476, 414},
    {"oom-bump-up-ratio", "3", "vpa", killed, "target memory", 422.3, 933.0},
    {"oom-min-bump-up-bytes", "1073741824", "vpa", killed, "target memory", 422.3, 1483.1},

    {"scale-up-factor", "3", "spike", busy, "target cpu", 900, 1350},
    {"scale-down-safety-factor", "1.5", "spike", idle, "target cpu", 120, 150},
    {"threshold-monitor-time-window", "\"10h\"", "spike", idle, "target cpu", 120, 0},
    {"threshold-num-crashes", "1", "spike", crashed_once, "target cpu", 0, 1000},
    {"threshold-scale-up", "0.95", "spike", busy, "target cpu", 900, 0},
    {"threshold-scale-down", "0.05", "spike", idle, "target cpu", 120, 0},
    {"window", "\"sliding\"", "spike", peak_in_the_last_window, "target cpu", 120, 1080},

    {"hybrid-window", "\"6h\"", "hybrid", busy_hour, "target cpu", 121, 1250},
    {"hybrid-window", "\"6h\"", "hybrid", busy_hour, "target memory", 250, 1500},
    {"hybrid-hysteresis", "0.01", "hybrid", a_little_above_what_it_has, "target cpu", 400, 423},
    {"hybrid-changes-per-day", "1", "hybrid", stairs, "target cpu", 283, 562},
};

std::string name_of_row(const testing::TestParamInfo<SettingsRow>& info) {
  std::string name = info.param.setting + std::string(info.param.number).substr(6);
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(ByName, EverySetting, testing::ValuesIn(kRows), name_of_row);
// clang-format on

TEST(SettingsOfTheRecommender, AllHaveARowAbove) {
  std::set<std::string> rows;
  for (const SettingsRow& row : kRows) rows.insert(row.setting);
  for (const config::Declaration& declared : config::recommender_schema().declarations()) {
    EXPECT_EQ(rows.erase(declared.name), 1U) << declared.name;
  }
  EXPECT_TRUE(rows.empty()) << *rows.begin() << " is no setting";
}

}  // namespace
}  // namespace bellows::recommender
