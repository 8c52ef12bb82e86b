// What VPA's real code answered, row by row: tests/golden/README.md.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "recommender/core/buckets.hpp"
#include "recommender/replay/recommender_filter.hpp"

namespace bellows::recommender {
namespace {

std::ifstream open_golden(const std::string& name) {
  std::ifstream file(std::string(BELLOWS_GOLDEN_FOLDER) + "/" + name);
  EXPECT_TRUE(file.is_open()) << name;
  return file;
}

std::vector<boost::json::object> rows(std::istream& in) {
  std::vector<boost::json::object> rows;
  for (std::string line; std::getline(in, line);)
    rows.push_back(boost::json::parse(line).as_object());
  return rows;
}

/// Numbers and texts equal, whatever kind of number it is.
bool same(const boost::json::value& ours, const boost::json::value& theirs) {
  if (ours.is_number() && theirs.is_number()) {
    return ours.to_number<double>() == theirs.to_number<double>();
  }
  if (!ours.is_object() || !theirs.is_object()) return ours == theirs;
  if (ours.as_object().size() != theirs.as_object().size()) return false;
  for (const auto& [key, value] : theirs.as_object()) {
    const boost::json::value* mine = ours.as_object().if_contains(key);
    if (mine == nullptr || !same(*mine, value)) return false;
  }
  return true;
}

class VpaResults : public testing::TestWithParam<const char*> {};

TEST_P(VpaResults, EqualOursToTheLastUnit) {
  const std::string name = GetParam();
  std::ifstream in = open_golden(name + ".in.jsonl");
  std::ifstream out = open_golden(name + ".out.jsonl");
  RecommenderFilter filter({config::flag("policy", "vpa")});
  std::stringstream answers;
  const auto fed = replay::feed(filter, in, answers);
  ASSERT_TRUE(fed.has_value()) << to_string(fed.error());
  std::vector<boost::json::object> ours = rows(answers);
  const std::vector<boost::json::object> theirs = rows(out);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ours[i].erase("reason");
    EXPECT_TRUE(same(ours[i], theirs[i])) << "row " << i + 1 << "\n"
                                          << ours[i] << "\n"
                                          << theirs[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, VpaResults, testing::Values("vpa", "vpa-gap", "vpa-checkpoint"));

TEST(VpaBuckets, HaveTheSameStartsAndValuesAsInGo) {
  std::ifstream in = open_golden("vpa-buckets.out.jsonl");
  int checked = 0;
  for (std::string line; std::getline(in, line); ++checked) {
    const bool is_cpu = line.find("\"cpu\"") != std::string::npos;
    const Buckets& buckets = is_cpu ? cpu_buckets() : memory_buckets();
    // By hand, because Boost 1.81 may read a double an ulp off.
    const char* at = line.c_str() + line.find("\"bucket\":") + 9;
    const auto bucket = static_cast<std::size_t>(std::strtoul(at, nullptr, 10));
    at = line.c_str() + line.find("\"start\":") + 8;
    EXPECT_EQ(buckets.start(bucket), std::strtod(at, nullptr)) << line;
    for (std::size_t pair = line.find("[[") + 1; pair != std::string::npos;
         pair = line.find('[', pair + 1)) {
      char* end = nullptr;
      const double value = std::strtod(line.c_str() + pair + 1, &end);
      EXPECT_EQ(buckets.find(value), std::strtoul(end + 1, nullptr, 10)) << line << " " << value;
    }
  }
  EXPECT_EQ(checked, 352);
}

}  // namespace
}  // namespace bellows::recommender
