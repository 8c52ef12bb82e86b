// A host of revisions without processes: replicas become what the test says.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/local/revision_host.hpp"

namespace bellows::machine::test {

/// Lists what it is told at once.
class FakeHost final : public cluster::RevisionHost {
 public:
  /// The next add() or check() fails so.
  void refuse_next(const std::string& why) { refusal_ = why; }
  /// The first `ready` replicas of a revision are ready, and no others are there.
  void set_ready(const std::string& id, PodCount ready) {
    (void)change(RevisionId(id), [&](cluster::Revision& revision) {
      revision.replicas.clear();
      for (PodCount number = 1; number <= ready; ++number) {
        cluster::Replica replica;
        replica.name = PodName(id + "-" + std::to_string(number));
        replica.phase = cluster::ReplicaPhase::kReady;
        revision.replicas.push_back(std::make_shared<const cluster::Replica>(std::move(replica)));
      }
    });
  }
  void set_failure(const std::string& id, const std::string& why) {
    (void)change(RevisionId(id),
                 [&](cluster::Revision& revision) { revision.failure_message = why; });
  }
  void set_state(const std::string& id, cluster::RevisionState state) {
    (void)change(RevisionId(id), [&](cluster::Revision& revision) { revision.state = state; });
  }
  void set_last_lines(const std::string& id, std::vector<std::string> lines) {
    lines_[RevisionId(id)] = std::move(lines);
  }

  bool has(const std::string& id) const { return list_.find(RevisionId(id)) != nullptr; }
  const cluster::Revision& at(const std::string& id) const { return *list_.find(RevisionId(id)); }

  const cluster::RevisionList& revisions() const override { return list_; }
  Result<void> check(const config::Service& /*revision*/) const override { return refused(); }
  Result<void> check_fit(std::vector<cluster::ReplicaBounds> /*changed*/) const override {
    return {};
  }
  Result<void> add(config::ServiceRevision revision, const ReplicaSize& /*size*/) override {
    if (auto accepted = refused(); !accepted) return accepted;
    cluster::Revision listed;
    listed.id = revision.name;
    listed.service = revision.of;
    listed.route = revision.route;
    listed.settings = *revision.settings;
    listed.share = revision.share;
    list_.put(std::make_shared<const cluster::Revision>(std::move(listed)));
    return {};
  }
  Result<void> configure(const RevisionId& id, const config::RevisionSettings& settings) override {
    return change(id, [&](cluster::Revision& revision) { revision.settings = settings; });
  }
  Result<void> place(const RevisionId& id, const config::Route& route,
                     std::int32_t share) override {
    return change(id, [&](cluster::Revision& revision) {
      revision.route = route;
      revision.share = share;
    });
  }
  Result<void> remove(const RevisionId& id) override {
    if (list_.erase(id)) return {};
    return fail(ErrorKind::kNotFound, "revision " + id.text(), "there is none");
  }
  std::vector<std::string> last_lines(const RevisionId& id) const override {
    const auto found = lines_.find(id);
    return found == lines_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  Result<void> refused() const {
    const std::optional<std::string> why = std::exchange(refusal_, std::nullopt);
    if (!why) return {};
    return fail(ErrorKind::kInvalidSetting, "revision", *why);
  }
  template <class Change>
  Result<void> change(const RevisionId& id, const Change& change_it) {
    const cluster::RevisionPtr listed = list_.find(id);
    if (listed == nullptr) return fail(ErrorKind::kNotFound, "revision " + id.text(), "is none");
    cluster::Revision changed = *listed;
    change_it(changed);
    list_.put(std::make_shared<const cluster::Revision>(std::move(changed)));
    return {};
  }

  cluster::RevisionList list_;
  std::map<RevisionId, std::vector<std::string>> lines_;
  mutable std::optional<std::string> refusal_;
};

}  // namespace bellows::machine::test
