#include "machine/service/reload.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bellows::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Reload, OfTheSameSettingsNeedsNoRestart) {
  EXPECT_THAT(after_restart(config::RunSettings(), config::RunSettings()), IsEmpty());
}

TEST(Reload, SettingsOfTheMachineItselfNeedARestart) {
  config::RunSettings changed;
  changed.listen.port = 9000;
  changed.keep_revisions = 9;
  EXPECT_THAT(after_restart(config::RunSettings(), changed),
              ElementsAre("listen", "keep-revisions"));
}

}  // namespace
}  // namespace bellows::machine
