#include "config/path_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/port_range.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

TEST(PortRange, ReadsWhatItWrites) {
  const auto range = read_port_range("20000-29999");
  ASSERT_TRUE(range);
  EXPECT_EQ(range->first, 20000);
  EXPECT_EQ(range->last, 29999);
  EXPECT_EQ(to_string(*range), "20000-29999");
  EXPECT_TRUE(range->has(29999));
  EXPECT_FALSE(range->has(30000));
  EXPECT_EQ(read_port_range("65535-65535")->first, 65535);
}

TEST(PortRange, WhatIsNone) {
  for (const char* text : {"", "-", "20000", "0-1", "2-1", "1-65536", "1 - 2", "1-2-3", "a-b"}) {
    EXPECT_FALSE(read_port_range(text)) << text;
  }
}

TEST(PathSettings, TheServiceOfTheActivatorsOrNone) {
  const auto& schema = autoscaler_schema();
  const auto read = [&](const char* service) {
    return schema.apply({flags({{"activator-service", service}})});
  };
  EXPECT_EQ(read("bellows-system/acts")->path.activator_service, "bellows-system/acts");
  EXPECT_EQ(read("none")->path.activator_service, "");
  EXPECT_FALSE(read("acts"));
}

TEST(PathSettings, ActivatorsAreToldTheSameServiceInTheSameWords) {
  const auto& schema = activator_schema();
  const auto read = [&](const char* service) {
    return schema.apply(
        {flags({{"autoscaler", "ws://a:1/v1/stats"}, {"activator-service", service}})});
  };
  EXPECT_EQ(read("shop/acts")->activator_service, "shop/acts");
  EXPECT_EQ(read("none")->activator_service, "");
  EXPECT_FALSE(read("acts"));
  EXPECT_EQ(ActivatorSettings().activator_service, PathSettings().activator_service);
}

}  // namespace
}  // namespace bellows::config
