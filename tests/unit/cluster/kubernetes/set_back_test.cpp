#include "cluster/kubernetes/core/set_back.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cluster/kubernetes/joined.hpp"

namespace bellows::cluster {
namespace {

using test::deployment;
using test::kWeb;
using testing::ElementsAre;
using testing::IsEmpty;

TEST_F(Joined, ANumberThatWasWrittenCountsUntilTheListShowsIt) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 5, "12");
  refresh();
  EXPECT_EQ(list.find(kWeb)->requested, 5);
  directory.target_changed(kDeployments, deployment(), deployment({.version = "11"}));
  refresh();
  EXPECT_EQ(list.find(kWeb)->requested, 5) << "an event from before the write";
  directory.target_changed(kDeployments, deployment(),
                           deployment({.version = "12", .replicas = 5}));
  refresh();
  EXPECT_EQ(list.find(kWeb)->requested, 5);
  EXPECT_THAT(directory.take_set_back(), IsEmpty());
}

TEST_F(Joined, ANumberThatAnotherClientWritesAfterOursIsNoticedOnce) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 5, "9");
  directory.target_changed(kDeployments, deployment(),
                           deployment({.version = "13", .replicas = 3}));
  directory.target_changed(kDeployments, deployment({.version = "13", .replicas = 3}),
                           deployment({.version = "14", .replicas = 3}));
  refresh();
  EXPECT_THAT(directory.take_set_back(), ElementsAre(kWeb));
  EXPECT_EQ(list.find(kWeb)->requested, 3);
}

TEST_F(Joined, OurOwnNumberThatIsListedBeforeItsAnswerComesIsNoSetBack) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 2, "9");
  directory.scale_begins(kWeb);
  directory.target_changed(kDeployments, deployment(),
                           deployment({.version = "13", .replicas = 3}));
  directory.scale_written(kWeb, 3, "13");
  directory.scale_ended(kWeb, true);
  EXPECT_THAT(directory.take_set_back(), IsEmpty());
}

TEST_F(Joined, ANumberThatAnotherClientWritesDuringOursIsNoticedWhenOursHasEnded) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 2, "9");
  directory.scale_begins(kWeb);
  directory.target_changed(kDeployments, deployment(),
                           deployment({.version = "13", .replicas = 7}));
  directory.scale_ended(kWeb, true);
  EXPECT_THAT(directory.take_set_back(), ElementsAre(kWeb));
}

TEST_F(Joined, AfterAnOrderWithoutAnAnswerNobodyIsBlamed) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 2, "9");
  directory.scale_begins(kWeb);
  directory.scale_ended(kWeb, false);
  directory.target_changed(kDeployments, deployment(),
                           deployment({.version = "13", .replicas = 3}));
  EXPECT_THAT(directory.take_set_back(), IsEmpty());
}

TEST_F(Joined, ADeploymentThatIsMadeAnewIsNoSetBack) {
  add_web();
  refresh();
  directory.scale_written(kWeb, 5, "9");
  directory.target_changed(kDeployments, deployment(), nullptr);
  directory.target_changed(kDeployments, nullptr,
                           deployment({.uid = "uid-new", .version = "20", .replicas = 1}));
  refresh();
  EXPECT_THAT(directory.take_set_back(), IsEmpty());
  EXPECT_EQ(list.find(kWeb)->requested, 1);
}

}  // namespace
}  // namespace bellows::cluster
