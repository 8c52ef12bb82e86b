// What VPA's real code answered (tests/golden), through pods, metrics and VPA objects.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/recommender/kubernetes/vertical_scene.hpp"

namespace bellows::recommender {
namespace {

using boost::json::object;

std::vector<object> rows_of(const std::string& name) {
  std::ifstream file(std::string(BELLOWS_GOLDEN_FOLDER) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  std::vector<object> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(boost::json::parse(line).as_object());
  }
  return rows;
}

double at_of(const object& row) {
  return row.at("at").to_number<double>();
}

/// The rows of the input from one "new" to the next.
std::vector<std::vector<object>> parts_of(const std::vector<object>& rows) {
  std::vector<std::vector<object>> parts;
  for (const object& row : rows) {
    if (row.contains("new")) parts.emplace_back();
    parts.back().push_back(row);
  }
  return parts;
}

/// What is measured at one time. The metrics API has both amounts of a container or none.
using Measured = std::map<std::string, kubernetes::ContainerMetrics>;

/// Plays one part as a cluster with one pod, and stops where a row has no equal in the metrics API:
/// a container without CPU, or without memory where that would begin a window.
class Player {
 public:
  explicit Player(const std::vector<object>& rows) : rows_(rows) {
    for (const object& row : rows) {
      if (row.contains("container")) pod_.containers[container_of(row)].memory = "0";
    }
    if (rows.front().contains("at")) start_ = at_of(rows.front());
    for (auto& [name, container] : pod_.containers) container.running_since = start_;
    scene_.put(scene_.object("web"), start_);
    scene_.put(pod_, start_);
  }

  /// Calls `check(at)` after each row that recommends.
  template <class Check>
  void play(Check check) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const object& row = rows_[i];
      const double at = at_of(row);
      if (row.contains("event")) kill(row, at);
      take(row, at);
      const bool is_last = i + 1 == rows_.size() || at_of(rows_[i + 1]) != at;
      const bool measures_next =
          !is_last && rows_[i + 1].contains("container") && !rows_[i + 1].contains("event");
      if (!measures_next && !flush(at)) return;
      if (!row.contains("recommend")) continue;
      scene_.statuses.clear();
      scene_.state.recommend(replay_time(at));
      scene_.put(scene_.object("web"), at);  // the server has lost the status: all is written
      scene_.write(at);
      check(at, scene_);
    }
  }

 private:
  static std::string container_of(const object& row) {
    return std::string(row.at("container").as_string());
  }

  void take(const object& row, double at) {
    if (row.contains("event") || !row.contains("container")) return;
    const std::string container = container_of(row);
    if (row.contains("cpu-cores")) {
      const auto cpu = std::llround(row.at("cpu-cores").to_number<double>() * 1000);
      if (has_cpu_.insert({at, container}).second) measured_[container].cpu = {cpu};
    }
    if (row.contains("memory-bytes")) {
      const auto bytes = static_cast<std::int64_t>(row.at("memory-bytes").to_number<double>());
      has_memory_.insert({at, container});
      Bytes& memory = measured_[container].memory;
      memory = std::max(memory, Bytes{bytes});
    }
  }

  bool flush(double at) {
    if (measured_.empty()) return true;
    std::vector<kubernetes::ContainerMetrics> containers;
    for (auto& [name, metrics] : std::exchange(measured_, {})) {
      const bool has_memory = has_memory_.contains({at, name});
      double& end = window_end_.try_emplace(name, -1).first->second;
      if (!has_cpu_.contains({at, name}) || (!has_memory && at >= end)) return false;
      if (end < 0) end = at + kDay;
      while (at >= end) end += kDay;
      metrics.name = name;
      containers.push_back(metrics);
    }
    scene_.measure("web-1", containers, at);
    return true;
  }

  void kill(const object& row, double at) {
    SceneContainer& container = pod_.containers[container_of(row)];
    container.memory = std::to_string(row.at("memory-bytes").to_number<std::int64_t>());
    scene_.put(pod_, at);
    container.killed_at = at;
    container.running_since = at;
    ++container.restarts;
    scene_.put(pod_, at);
  }

  static constexpr double kDay = 86400;

  const std::vector<object>& rows_;
  double start_ = 0;
  ScenePod pod_;
  VerticalScene scene_;
  Measured measured_;
  std::set<std::pair<double, std::string>> has_cpu_, has_memory_;
  std::map<std::string, double> window_end_;
};

void expect_same(VerticalScene& scene, const object& row) {
  const std::string container(row.at("container").as_string());
  using Name = std::pair<const char*, const char*>;
  for (const Name& name :
       {Name{"target", "target"}, Name{"lowerBound", "lower-bound"},
        Name{"upperBound", "upper-bound"}, Name{"uncappedTarget", "uncapped-target"}}) {
    const char* const ours = name.first;
    const object& amounts = row.at(name.second).as_object();
    const auto number = [&](const char* resource) {
      const std::string text = scene.number("web", container, ours, resource);
      EXPECT_FALSE(text.empty()) << container << " " << ours << " at " << row.at("at");
      return kubernetes::Quantity::parse(text).value_or(kubernetes::Quantity());
    };
    EXPECT_EQ(number("cpu").milli(), amounts.at("cpu-millicores").to_number<std::int64_t>())
        << container << " " << ours << " at " << row.at("at");
    EXPECT_EQ(number("memory").units(), amounts.at("memory-bytes").to_number<std::int64_t>())
        << container << " " << ours << " at " << row.at("at");
  }
}

class GoldenObjects : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(GoldenObjects, HaveTheStatusOfVpaToTheLastUnit) {
  const std::string name = GetParam().first;
  const std::vector<object> in = rows_of(name + ".in.jsonl");
  const std::vector<object> out = rows_of(name + ".out.jsonl");
  std::size_t next = 0;
  int compared = 0;
  for (const std::vector<object>& part : parts_of(in)) {
    std::size_t of_part = next;
    Player(part).play([&](double at, VerticalScene& scene) {
      while (of_part < out.size() && at_of(out[of_part]) == at) {
        expect_same(scene, out[of_part++]);
        ++compared;
      }
    });
    std::set<std::string> containers;
    for (const object& row : part) {
      if (row.contains("container"))
        containers.insert(std::string(row.at("container").as_string()));
    }
    for (const object& row : part) next += row.contains("recommend") ? containers.size() : 0;
  }
  EXPECT_EQ(next, out.size()) << "the rows of a part were counted wrong";
  EXPECT_EQ(compared, GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenObjects,
                         testing::Values(std::pair{"vpa", 66}, std::pair{"vpa-gap", 18}));

}  // namespace
}  // namespace bellows::recommender
