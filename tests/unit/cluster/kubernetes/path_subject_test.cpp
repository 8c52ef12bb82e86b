// Which ready endpoints of a Service are replicas that stay.
#include "cluster/kubernetes/core/path_subject.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

/// Service web with one endpoint in a slice of Kubernetes, and a Revision of a Deployment.
struct SubjectWorld {
  SubjectWorld() { record.object = std::make_shared<RevisionObject>(); }

  void request(PodCount replicas) { record.target = test::deployment({.replicas = replicas}); }
  void add_pod(const std::string& name, ReplicaPhase phase) {
    Replica replica;
    replica.name = PodName(name);
    replica.phase = phase;
    record.members[name].replica = std::make_shared<const Replica>(std::move(replica));
  }
  /// `target`: the members of targetRef, or empty.
  bool is_ready_with_endpoint_of(const std::string& target) const {
    ServiceSlices slices;
    slices.changed(nullptr, test::object<kubernetes::EndpointSlice>(
                                "{'metadata':{'namespace':'shop','name':'web-abcde','labels':"
                                "{'kubernetes.io/service-name':'web'}},'addressType':'IPv4',"
                                "'endpoints':[{'addresses':['10.1.1.1'],'conditions':{'ready':"
                                "true}" +
                                (target.empty() ? "" : ",'targetRef':{" + target + "}") + "}]}"));
    const RevisionId id("shop/web");
    const PathSubject subject(id, record, service.get(), false, slices);
    return subject.are_replicas_ready(slices);
  }

  std::shared_ptr<const kubernetes::Service> service = test::service("web", "{'app':'web'}");
  Record record;
};

constexpr const char* kPod = "'kind':'Pod','name':'web-1'";

TEST(PathSubject, AReadyPodOfTheRevisionStays) {
  SubjectWorld world;
  world.request(1);
  world.add_pod("web-1", ReplicaPhase::kReady);
  EXPECT_TRUE(world.is_ready_with_endpoint_of(kPod));
}

TEST(PathSubject, APodThatGoesOrIsGoneDoesNotStayHoweverLongItsSliceNamesIt) {
  SubjectWorld world;
  world.request(1);
  EXPECT_FALSE(world.is_ready_with_endpoint_of(kPod)) << "deleted";
  world.add_pod("web-1", ReplicaPhase::kDraining);
  EXPECT_FALSE(world.is_ready_with_endpoint_of(kPod));
  world.add_pod("web-2", ReplicaPhase::kReady);
  EXPECT_FALSE(world.is_ready_with_endpoint_of(kPod)) << "the slice does not name web-2 yet";
}

TEST(PathSubject, WithAnOrderToZeroNoPodStays) {
  SubjectWorld world;
  world.request(0);
  world.add_pod("web-1", ReplicaPhase::kReady);
  EXPECT_FALSE(world.is_ready_with_endpoint_of(kPod));
}

TEST(PathSubject, WhatIsNoPodStays) {
  SubjectWorld world;
  world.request(1);
  EXPECT_TRUE(world.is_ready_with_endpoint_of("")) << "a slice that a user wrote";
}

}  // namespace
}  // namespace bellows::cluster
