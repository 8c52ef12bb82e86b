#include "cluster/kubernetes/core/departure.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart(100s);

TEST(ADeparture, IsADiary) {
  struct Step {
    Duration at;
    std::string what;
    std::function<void(Departure&, TimePoint)> happens;
    PathsEnd want;
  };
  const auto nothing = [](Departure&, TimePoint) {};
  const auto definition = [](bool is_there) {
    return [is_there](Departure& departure, TimePoint) { departure.definition_changed(is_there); };
  };
  const auto space = [](bool is_there) {
    return [is_there](Departure& departure, TimePoint now) {
      departure.namespace_changed(is_there, now);
    };
  };
  const auto ordered = [](bool is_ordered) {
    return [is_ordered](Departure& departure, TimePoint) { departure.use(is_ordered); };
  };
  Departure departure;
  for (const auto& [at, what, happens, want] : std::vector<Step>{
           {0s, "nothing", nothing, PathsEnd::kStay},
           {1s, "both are listed", space(true), PathsEnd::kStay},
           {10s, "the definition is deleted", definition(false), PathsEnd::kOnceServed},
           {1h, "paths may wait for pods as long as it takes", nothing, PathsEnd::kOnceServed},
           {2h, "it is made again", definition(true), PathsEnd::kStay},
           {5h, "the namespace is being deleted", space(false), PathsEnd::kOnceServed},
           {5h + 3s, "it is still", space(false), PathsEnd::kOnceServed},
           {5h + 4s, "the accounts go next", nothing, PathsEnd::kAtOnce},
           {5h + 5s, "a server of 1.33", ordered(true), PathsEnd::kOnceServed},
           {5h + 104s, "pods end before accounts", nothing, PathsEnd::kOnceServed},
           {5h + 105s, "the grace period is about to end", nothing, PathsEnd::kAtOnce},
           {6h, "the namespace is made again", space(true), PathsEnd::kStay}}) {
    happens(departure, kStart + at);
    EXPECT_EQ(departure.at(kStart + at), want) << what;
  }
}

TEST(ADeparture, IsThatOfTheLastAutoscalerToo) {
  Departure departure;
  departure.ends();
  EXPECT_EQ(departure.at(kStart), PathsEnd::kOnceServed);
  EXPECT_FALSE(departure.is_namespace_ending());
}

}  // namespace
}  // namespace bellows::cluster
