#include "autoscaler/service/activator_streams.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/sys/log.hpp"

namespace bellows::autoscaler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> warnings;  // of one test

class ActivatorStreamsTest : public testing::Test {
 protected:
  ActivatorStreamsTest() {
    warnings.clear();
    sys::log::set_sink([](std::string_view line) {
      if (line.find("without knowing of each other") != std::string_view::npos)
        warnings.emplace_back(line);
    });
  }
  ~ActivatorStreamsTest() override { sys::log::set_sink(nullptr); }

  ActivatorStreams streams_{[] {}};
};

TEST_F(ActivatorStreamsTest, OneThatKnowsOfNoOtherIsTheOnlyOne) {
  const ActivatorStreams::Open one(streams_, PodName("a"), false);
  const ActivatorStreams::Open again(streams_, PodName("a"), false);
  const ActivatorStreams::Open of_replica(streams_, PodName(), true);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(ActivatorStreamsTest, SeveralThatKnowTheirSharesAreFine) {
  const ActivatorStreams::Open one(streams_, PodName("a"), true);
  const ActivatorStreams::Open other(streams_, PodName("b"), true);
  EXPECT_THAT(warnings, IsEmpty());
}

TEST_F(ActivatorStreamsTest, SeveralOfWhichOneDoesNotAreWarnedOfOnce) {
  const ActivatorStreams::Open one(streams_, PodName("a"), true);
  {
    const ActivatorStreams::Open other(streams_, PodName("b"), false);
    EXPECT_THAT(warnings, ElementsAre(HasSubstr("a, b")));
    const ActivatorStreams::Open third(streams_, PodName("c"), false);
    EXPECT_EQ(warnings.size(), 1U);
  }
  const ActivatorStreams::Open back(streams_, PodName("b"), false);
  EXPECT_EQ(warnings.size(), 2U) << "again, after they had left";
}

}  // namespace
}  // namespace bellows::autoscaler
