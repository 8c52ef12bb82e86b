// Policy `chain`: the first entry whose condition holds, and whose policy has a number, decides, as
// in Agones. Each entry has a policy of any type, and remembers on its own.
#include <algorithm>
#include <utility>

#include "autoscaler/core/policy/parameters.hpp"
#include "autoscaler/core/policy/registry.hpp"
#include "autoscaler/core/policy/span_schedule.hpp"
#include "autoscaler/triggers/trigger_config.hpp"

namespace bellows::autoscaler {
namespace {

struct Bound {
  std::optional<double> over;
  std::optional<double> under;

  bool holds(double value) const {
    return !(over && value <= *over) && !(under && value >= *under);
  }
};

struct Condition {
  std::optional<RepeatedSpan> span;
  Bound load;      // requests in flight
  Bound occupied;  // percent of the replicas

  bool holds(const PolicyInput& input) const {
    const Rooms& rooms = input.more.rooms;
    const double share = rooms.available() > 0 ? 100.0 * rooms.occupied / rooms.available() : 0;
    return (!span || span->holds(input.more.wall)) && load.holds(input.seen.stable.total) &&
           occupied.holds(share);
  }
};

struct Link {
  std::string name;
  Condition when;
  PolicyPtr policy;
};

class Chain final : public Policy {
 public:
  explicit Chain(std::vector<Link> links) : links_(std::move(links)) {}

  bool uses_load() const override {
    return std::any_of(links_.begin(), links_.end(),
                       [](const Link& link) { return link.policy->uses_load(); });
  }

  void fit(PolicyMemory& memory) const override {
    if (memory.links.size() != links_.size()) memory.links.assign(links_.size(), {});
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i].policy->fit(memory.links[i]);
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory& memory) const override {
    Proposal proposal;
    for (std::size_t i = 0; i < links_.size() && !proposal.replicas; ++i) {
      if (!links_[i].when.holds(input)) continue;
      const std::string failed = proposal.reason.empty() ? "" : proposal.reason + "; ";
      proposal = links_[i].policy->propose(input, memory.links[i]);
      proposal.reason =
          failed + "entry " + std::to_string(i) + " (" + links_[i].name + "): " + proposal.reason;
    }
    if (proposal.reason.empty()) proposal.reason = "no entry of the chain holds";
    return proposal;
  }

  /// Each entry that was asked remembers its own proposal, without the chain's words.
  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& /*proposal*/) const override {
    bool has_number = false;
    for (std::size_t i = 0; i < links_.size() && !has_number; ++i) {
      if (!links_[i].when.holds(input)) continue;
      PolicyMemory& own = memory.links[i];
      const Proposal proposal = links_[i].policy->propose(input, own);
      links_[i].policy->remember(own, input, proposal);
      memory.changed = own.changed;
      has_number = proposal.replicas.has_value();
    }
  }

  std::string ahead(const PolicySeen& seen) const override {
    for (const Link& link : links_) {
      if (!link.when.span) continue;
      const auto change = link.when.span->next_change(seen.wall);
      if (!change) continue;
      const bool holds = link.when.span->holds(*change);
      return "chain: the schedule of " + link.name + (holds ? " begins " : " ends ") +
             local_text(link.when.span->zone(), *change);
    }
    return {};
  }

  void add_questions(std::vector<WebhookQuestion>& questions) const override {
    for (const Link& link : links_) link.policy->add_questions(questions);
  }

 private:
  std::vector<Link> links_;
};

Result<std::optional<double>> bound(const json::Object& object, std::string_view key, double max) {
  if (!object.has(key)) return std::nullopt;
  return object.number(key, {0, max});
}

Result<Condition> read_condition(const json::Object& entry) {
  Condition when;
  if (!entry.has("when")) return when;
  BELLOWS_TRY(const json::Object object, entry.object("when"));
  BELLOWS_CHECKED(triggers::only_known(object, {"timezone", "from", "to", "for", "load-over",
                                                "load-under", "occupied-over", "occupied-under"}));
  const bool has_span = object.has("from") || object.has("to") || object.has("for");
  if (has_span || object.has("timezone")) {
    BELLOWS_TRY(const cctz::time_zone zone, read_zone(object));
    BELLOWS_TRY(when.span, RepeatedSpan::read(object, zone));
  }
  BELLOWS_TRY(when.load.over, bound(object, "load-over", 1e9));
  BELLOWS_TRY(when.load.under, bound(object, "load-under", 1e9));
  BELLOWS_TRY(when.occupied.over, bound(object, "occupied-over", 100));
  BELLOWS_TRY(when.occupied.under, bound(object, "occupied-under", 100));
  return when;
}

Result<PolicyPtr> make_chain(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "entries"}));
  BELLOWS_TRY(const std::vector<json::Object> list, read_entries(parameters));
  std::vector<Link> links;
  for (const json::Object& entry : list) {
    BELLOWS_CHECKED(triggers::only_known(entry, {"when", "policy"}));
    Link link;
    BELLOWS_TRY(link.when, read_condition(entry));
    BELLOWS_TRY(const json::Object policy, entry.object("policy"));
    BELLOWS_TRY(link.name, policy.text("type"));
    if (link.name == "chain") return fail(policy.invalid("type", "a policy that is no chain"));
    BELLOWS_TRY(link.policy, make_policy(policy));
    links.push_back(std::move(link));
  }
  return std::make_shared<const Chain>(std::move(links));
}

}  // namespace

PolicyType chain_policy() {
  return {.name = "chain", .make = make_chain};
}

}  // namespace bellows::autoscaler
