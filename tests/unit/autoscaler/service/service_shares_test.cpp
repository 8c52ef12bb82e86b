#include "autoscaler/service/service_shares.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::autoscaler {
namespace {

cluster::Revision revision(const std::string& name, std::int32_t share) {
  cluster::Revision revision;
  revision.id = RevisionId(name);
  revision.service = RevisionId("web");
  revision.share = share;
  return revision;
}

TEST(ServiceShares, AWeightIsAPartOfTheSumOfItsService) {
  ServiceShares shares;
  cluster::Revision web = revision("web", 3);
  const cluster::Revision next = revision("web-00002", 1);
  shares.update(nullptr, &web);
  EXPECT_DOUBLE_EQ(shares.part_of(web), 1);
  shares.update(nullptr, &next);
  EXPECT_DOUBLE_EQ(shares.part_of(web), 0.75);
  EXPECT_DOUBLE_EQ(shares.part_of(next), 0.25);
  const cluster::Revision before = web;
  web.share = 0;
  shares.update(&before, &web);
  EXPECT_DOUBLE_EQ(shares.part_of(web), 0);
  EXPECT_DOUBLE_EQ(shares.part_of(next), 1);
  shares.update(&next, nullptr);
  EXPECT_DOUBLE_EQ(shares.part_of(web), 0);
}

TEST(ServiceShares, ARetiredRevisionGetsNothing) {
  ServiceShares shares;
  cluster::Revision web = revision("web", 50);
  const cluster::Revision next = revision("web-00002", 50);
  shares.update(nullptr, &web);
  shares.update(nullptr, &next);
  const cluster::Revision before = web;
  web.state = cluster::RevisionState::kRetired;
  shares.update(&before, &web);
  EXPECT_DOUBLE_EQ(shares.part_of(web), 0);
  EXPECT_DOUBLE_EQ(shares.part_of(next), 1);
}

TEST(ServiceShares, ARevisionOfNoServiceIsAlone) {
  ServiceShares shares;
  cluster::Revision pods = revision("shop/pods", 100);
  pods.service = {};
  shares.update(nullptr, &pods);
  EXPECT_DOUBLE_EQ(shares.part_of(pods), 1);
}

}  // namespace
}  // namespace bellows::autoscaler
