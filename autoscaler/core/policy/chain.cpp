// Policy `chain`: the first entry whose condition holds decides, as in Agones. Each entry has a
// policy of any type, and remembers on its own.
#include <algorithm>
#include <utility>

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
  std::optional<RepeatedSpan> span;  // in zone
  std::optional<TimeZone> zone;
  Bound load;      // requests in flight
  Bound occupied;  // percent of the replicas

  bool holds(const PolicyInput& input, const Held<bool>& known) const {
    const Rooms& rooms = input.more.rooms;
    const double share = rooms.available() > 0 ? 100.0 * rooms.occupied / rooms.available() : 0;
    return is_time(input.more.wall, known) && load.holds(input.seen.stable.total) &&
           occupied.holds(share);
  }

 private:
  bool is_time(WallTime at, const Held<bool>& known) const {
    if (!span) return true;
    return known.knows(at) ? known.value : span->holds(*zone, at);
  }
};

struct Link {
  std::string name;
  Condition when;
  PolicyPtr policy;
};

struct ChainMemory final : PolicyMemory {
  std::vector<std::unique_ptr<PolicyMemory>> links;
  std::vector<Held<bool>> spans;  // whether those of the links hold

  std::unique_ptr<PolicyMemory> clone() const override {
    auto copy = std::make_unique<ChainMemory>();
    for (const auto& link : links) copy->links.push_back(link ? link->clone() : nullptr);
    copy->spans = spans;
    return copy;
  }
  void write(json::Writer& out, TimePoint at) const override {
    out.open_list("links");
    for (const auto& link : links) {
      out.open();
      if (link) link->write(out, at);
      out.close();
    }
    out.close();
  }
  void move(Duration by) override {
    for (auto& link : links) {
      if (link) link->move(by);
    }
  }
};

class Chain final : public Policy {
 public:
  explicit Chain(std::vector<Link> links) : links_(std::move(links)) {}

  bool uses_load() const override {
    return std::any_of(links_.begin(), links_.end(),
                       [](const Link& link) { return link.policy->uses_load(); });
  }

  std::unique_ptr<PolicyMemory> start() const override {
    auto memory = std::make_unique<ChainMemory>();
    for (const Link& link : links_) memory->links.push_back(link.policy->start());
    memory->spans.resize(links_.size());
    return memory;
  }

  Result<std::unique_ptr<PolicyMemory>> read(const json::Object& object,
                                             TimePoint at) const override {
    BELLOWS_TRY(const std::vector<json::Object> list, object.objects("links"));
    if (list.size() != links_.size()) return start();
    auto memory = std::make_unique<ChainMemory>();
    for (std::size_t i = 0; i < list.size(); ++i) {
      BELLOWS_TRY(auto link, links_[i].policy->read(list[i], at));
      memory->links.push_back(std::move(link));
    }
    memory->spans.resize(links_.size());
    return std::unique_ptr<PolicyMemory>(std::move(memory));
  }

  Proposal propose(const PolicyInput& input, const PolicyMemory* memory) const override {
    const auto& known = static_cast<const ChainMemory&>(*memory);
    const auto i = first(input, known);
    if (!i) return {std::nullopt, "no entry of the chain holds"};
    Proposal proposal = links_[*i].policy->propose(input, known.links[*i].get());
    proposal.reason =
        "entry " + std::to_string(*i) + " (" + links_[*i].name + "): " + proposal.reason;
    return proposal;
  }

  void remember(PolicyMemory& memory, const PolicyInput& input,
                const Proposal& proposal) const override {
    auto& known = static_cast<ChainMemory&>(memory);
    for (std::size_t k = 0; k < links_.size(); ++k) {
      const Condition& when = links_[k].when;
      if (!when.span || known.spans[k].knows(input.more.wall)) continue;
      const WallTime at = input.more.wall;
      known.spans[k] = {.from = at,
                        .until = when.span->next_change(*when.zone, at).value_or(WallTime::max()),
                        .value = when.span->holds(*when.zone, at)};
    }
    const auto i = first(input, known);
    if (!i || !known.links[*i]) return;
    Proposal own = proposal;  // without the chain's words
    const std::string before = "entry " + std::to_string(*i) + " (" + links_[*i].name + "): ";
    if (own.reason.starts_with(before)) own.reason.erase(0, before.size());
    links_[*i].policy->remember(*known.links[*i], input, own);
  }

  std::string ahead(const PolicySeen& seen) const override {
    for (const Link& link : links_) {
      if (!link.when.span) continue;
      const auto change = link.when.span->next_change(*link.when.zone, seen.wall);
      if (!change) continue;
      const bool holds = link.when.span->holds(*link.when.zone, *change);
      return "chain: the schedule of " + link.name + (holds ? " begins " : " ends ") +
             link.when.zone->text(*change);
    }
    return {};
  }

  void add_questions(std::vector<WebhookQuestion>& questions) const override {
    for (const Link& link : links_) link.policy->add_questions(questions);
  }

 private:
  std::optional<std::size_t> first(const PolicyInput& input, const ChainMemory& known) const {
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (links_[i].when.holds(input, known.spans[i])) return i;
    }
    return std::nullopt;
  }

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
    BELLOWS_TRY(when.span, RepeatedSpan::read(object));
    BELLOWS_TRY(when.zone, read_zone(object));
  }
  BELLOWS_TRY(when.load.over, bound(object, "load-over", 1e9));
  BELLOWS_TRY(when.load.under, bound(object, "load-under", 1e9));
  BELLOWS_TRY(when.occupied.over, bound(object, "occupied-over", 100));
  BELLOWS_TRY(when.occupied.under, bound(object, "occupied-under", 100));
  return when;
}

Result<PolicyPtr> make_chain(const json::Object& parameters) {
  BELLOWS_CHECKED(triggers::only_known(parameters, {"type", "entries"}));
  BELLOWS_TRY(const std::vector<json::Object> list, parameters.objects("entries"));
  if (list.empty()) return fail(parameters.invalid("entries", "at least one entry"));
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

PolicyType chain_policy();
PolicyType chain_policy() {
  return {.name = "chain", .make = make_chain};
}

}  // namespace bellows::autoscaler
