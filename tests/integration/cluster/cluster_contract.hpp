// The promises of every Cluster as one suite; each implementation instantiates it with a rig.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "cluster/api.hpp"

namespace bellows::test {

/// An implementation with one service whose replicas become ready without further action.
class ClusterRig {
 public:
  virtual ~ClusterRig() = default;
  virtual http::net::io_context& io() = 0;
  virtual cluster::Cluster& cluster() = 0;
  /// The service: max-scale 8, this host.
  virtual RevisionId web() const { return RevisionId("web"); }
  virtual std::string host() const { return "web.example"; }
  /// Ends what must not outlive the io_context.
  virtual void shut_down() {}
};

/// An implementation whose services come and go.
class ChangingRig : public ClusterRig {
 public:
  virtual void add(const RevisionId& revision) = 0;
  virtual void remove(const RevisionId& revision) = 0;
};

/// An implementation whose services have several revisions.
class SharingRig : public ChangingRig {
 public:
  /// A revision of the service web() with its route and this share.
  virtual void add_revision(const RevisionId& revision, std::int32_t share) = 0;
  /// The share of a revision of web() from now on.
  virtual void share(const RevisionId& revision, std::int32_t share) = 0;
};

/// The name of the implementation.
struct RigMaker {
  std::string name;
  std::function<std::unique_ptr<ClusterRig>()> make;

  friend void PrintTo(const RigMaker& maker, std::ostream* out) { *out << maker.name; }
};

class ClusterContract : public testing::TestWithParam<RigMaker> {
 protected:
  ClusterContract();
  ~ClusterContract() override;

  cluster::Cluster& cluster() { return rig_->cluster(); }
  const cluster::Revision& web();
  Result<void> scale(PodCount want, std::vector<PodName> drain_first = {});
  Result<void> scale(const RevisionId& revision, cluster::ScaleOrder order);
  Result<void> set_state(const RevisionId& revision, cluster::RevisionState state);
  /// Waits until exactly `count` replicas are ready and no other ones are listed.
  bool settle(PodCount count);
  bool wait_for(const std::function<bool()>& is_true);

  std::unique_ptr<ClusterRig> rig_;
  RevisionId web_id_ = rig_->web();
  cluster::RevisionPtr held_;  // owns what web() refers to
};

/// For implementations whose services come and go: makers of ChangingRig.
class ChangingClusterContract : public ClusterContract {
 protected:
  ChangingRig& rig() { return static_cast<ChangingRig&>(*rig_); }
};

/// For implementations whose services have several revisions: makers of SharingRig.
class SharingClusterContract : public ClusterContract {
 protected:
  SharingRig& rig() { return static_cast<SharingRig&>(*rig_); }
};

std::string rig_name(const testing::TestParamInfo<RigMaker>& info);

}  // namespace bellows::test
