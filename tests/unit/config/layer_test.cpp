#include "config/layer.hpp"

#include <gtest/gtest.h>

#include "config/queue_proxy_settings.hpp"

namespace bellows::config {
namespace {

std::vector<std::string> origins(const Environment& environment) {
  std::vector<std::string> found;
  for (const Entry& entry : environment_layer(queue_proxy_schema().declarations(), environment)) {
    found.push_back(origin(entry) + "=" + entry.value);
  }
  return found;
}

using Strings = std::vector<std::string>;

TEST(EnvironmentLayer, IncludesOnlyTheVariablesOfItsSettings) {
  EXPECT_EQ(origins({{"CONTAINER_CONCURRENCY", "10"},
                     {"BELLOWS_QUEUE_DEPTH", "5"},
                     {"PATH", "/bin"},
                     {"HOME", "/root"}}),
            (Strings{"environment BELLOWS_QUEUE_DEPTH=5", "environment CONTAINER_CONCURRENCY=10"}));
}

TEST(Origin, OfAFlagIsAsItWasWritten) {
  EXPECT_EQ(origin(flag("target", "1")), "--target");
  EXPECT_EQ(origin(flag("H", "X-A: 1")), "-H");
}

TEST(EnvironmentLayer, CountsAnEmptyVariableAsNotSet) {
  EXPECT_EQ(origins({{"CONTAINER_CONCURRENCY", ""}}), Strings{});
}

TEST(EnvironmentLayer, IncludesAMisspeltVariableSoThatItIsReported) {
  EXPECT_EQ(origins({{"BELLOWS_QUEUE_DEPHT", "5"}}),
            (Strings{"environment BELLOWS_QUEUE_DEPHT=5"}));
}

TEST(EnvironmentLayer, IgnoresVariablesWithOnlyASimilarPrefix) {
  // Kubernetes gives every pod such variables for a Service called bellows-activator.
  EXPECT_EQ(origins({{"BELLOWS_ACTIVATOR_SERVICE_HOST", "10.0.0.1"},
                     {"BELLOWS_ACTIVATOR_PORT", "tcp://10.0.0.1:80"},
                     {"CONTAINER_CONCURENCY", "10"}}),
            Strings{});
}

TEST(EnvironmentLayer, IgnoresWhatKubernetesSetsForServicesWithTheNameOfASetting) {
  // A Service called queue-serving has a variable of the same name as a setting.
  const Environment of_service = {{"QUEUE_SERVING_SERVICE_HOST", "10.0.0.1"},
                                  {"QUEUE_SERVING_PORT_80_TCP_ADDR", "10.0.0.1"},
                                  {"QUEUE_SERVING_PORT", "tcp://10.0.0.1:80"}};
  EXPECT_EQ(origins(of_service), Strings{});
  Environment overridden = of_service;
  overridden["QUEUE_SERVING_PORT"] = "8012";
  EXPECT_EQ(origins(overridden), Strings{"environment QUEUE_SERVING_PORT=8012"});
}

TEST(VariablesWithoutEffect, AreThoseThatNoSettingOfTheProgramHas) {
  const auto without = [](const Environment& environment) {
    return variables_without_effect(queue_proxy_schema().declarations(), environment);
  };
  EXPECT_EQ(without({{"BELLOWS_NO_SUCH_THING", "1"},
                     {"BELLOWS_UP_STATE_FILE", "/x"},
                     {"BELLOWS_QUEUE_DEPTH", "9"},
                     {"BELLOWS_QUEUE_PROXY_ADMIN", "127.0.0.1:1"},
                     {"BELLOWS_EMPTY", ""},
                     {"HOME", "/root"}}),
            (Strings{"BELLOWS_NO_SUCH_THING", "BELLOWS_UP_STATE_FILE"}));
  EXPECT_EQ(without({{"BELLOWS_ACTIVATOR_SERVICE_HOST", "10.0.0.1"},
                     {"BELLOWS_ACTIVATOR_PORT", "tcp://10.0.0.1:80"}}),
            Strings{})
      << "Kubernetes sets them";
}

TEST(Origin, NamesThePlaceOfAnEntry) {
  EXPECT_EQ(origin(flag("target", "1")), "--target");
  EXPECT_EQ(origin({.source = Source::kFile, .key = "target", .value = "1", .place = "b.yaml:12"}),
            "b.yaml:12: target");
  EXPECT_EQ(origin({.source = Source::kArgument, .key = "x", .value = {}, .place = {}}),
            "argument x");
}

}  // namespace
}  // namespace bellows::config
