// What hybrid says about itself, saves and restores.
#include <array>
#include <limits>

#include "json/object.hpp"
#include "json/writer.hpp"
#include "recommender/core/describe.hpp"
#include "recommender/core/hybrid_policy.hpp"
#include "recommender/core/saved.hpp"

namespace bellows::recommender {

void HybridPolicy::describe(std::uint32_t container, Resource resource,
                            std::vector<std::string>& lines) {
  const Aggregate& known = history_.known(container);
  const bool is_cpu = resource == Resource::kCpu;
  if (is_cpu) describe_samples(known, lines);
  describe_histogram(is_cpu ? known.cpu : known.memory, resource, lines);
}

Policy::BoundChains HybridPolicy::bound_chains(std::uint32_t /*container*/, Resource /*resource*/,
                                               const Estimate& estimate) {
  return {chain_of_bound(estimate.target, hybrid().lower_bound_fraction, estimate.lower),
          chain_of_bound(estimate.target, hybrid().upper_bound_factor, estimate.upper)};
}

void HybridPolicy::save_container(std::uint32_t container, json::Writer& line) const {
  history_.save_container(container, line);
  const Container& of = containers_[container];
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    const OfResource& resource = of.resources[i];
    line.open(kResourceNames[i]);
    resource.steady.save(line, "steady");
    resource.startup.save(line, "startup");
    if (resource.target) line.number("target", *resource.target);
    saved::write(line, "rose", resource.rose);
    line.flag("has-news", resource.has_news).number("before-crashes", resource.before_crashes);
    line.open("raised").number("amount", resource.raised.amount);
    line.number("used", resource.raised.used);
    saved::write(line, "at", resource.raised.at);
    saved::write(line, "until", resource.raised.until);
    line.flag("by-oom", resource.raised.rule == Rule::kOom).close().open("growth");
    saved::write(line, "at", resource.growth.at);
    line.number("before", resource.growth.before).number("last", resource.growth.last);
    line.number("now", resource.growth.now).close().open_list("falls");
    for (const WallTime fall : resource.falls) {
      line.open();
      saved::write(line, "at", fall);
      line.close();
    }
    line.close().close();
  }
  of.crashes.save(line);
  line.integer("doublings", of.doublings).flag("in-vain", of.is_in_vain);
  saved::write(line, "last-crash", of.last_crash);
  saved::write(line, "since", of.since);
}

void HybridPolicy::save_instance(InstanceId instance, json::Writer& line) const {
  history_.save_instance(instance, line);
  watch_.save(instance, line);
}

Result<void> HybridPolicy::restore_resource(OfResource& resource, const json::Object& saved) {
  BELLOWS_CHECKED(resource.steady.restore(saved, "steady"));
  BELLOWS_CHECKED(resource.startup.restore(saved, "startup"));
  if (saved.has("target")) {
    BELLOWS_TRY(resource.target, saved.number("target", {.min = 0}));
  }
  BELLOWS_TRY(resource.rose, saved::read_time(saved, "rose"));
  if (saved.has("has-news")) {  // states of before there were these keys have neither
    BELLOWS_TRY(resource.has_news, saved.flag("has-news"));
    BELLOWS_TRY(resource.before_crashes, saved.number("before-crashes", {.min = 0}));
  }
  BELLOWS_TRY(const auto raised, saved.object("raised"));
  BELLOWS_TRY(resource.raised.amount, raised.number("amount", {.min = 0}));
  BELLOWS_TRY(resource.raised.used, raised.number("used", {.min = 0}));
  BELLOWS_TRY(resource.raised.at, saved::read_time(raised, "at"));
  BELLOWS_TRY(resource.raised.until, saved::read_time(raised, "until"));
  BELLOWS_TRY(const bool by_oom, raised.flag("by-oom"));
  resource.raised.rule = by_oom ? Rule::kOom : Rule::kCrash;
  BELLOWS_TRY(const auto growth, saved.object("growth"));
  BELLOWS_TRY(resource.growth.at, saved::read_time(growth, "at"));
  BELLOWS_TRY(resource.growth.before, growth.number("before", {.min = 0}));
  BELLOWS_TRY(resource.growth.last, growth.number("last", {.min = 0}));
  BELLOWS_TRY(resource.growth.now, growth.number("now", {.min = 0}));
  BELLOWS_TRY(const auto falls, saved.objects("falls"));
  resource.falls.clear();
  for (const json::Object& fall : falls) {
    BELLOWS_TRY(const WallTime at, saved::read_time(fall, "at"));
    resource.falls.push_back(at);
  }
  return {};
}

Result<void> HybridPolicy::restore_container(std::uint32_t container, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_container(container, saved));
  Container& of = containers_[container];
  for (std::size_t i = 0; i < kResourceNames.size(); ++i) {
    BELLOWS_TRY(const auto object, saved.object(kResourceNames[i]));
    BELLOWS_CHECKED(restore_resource(of.resources[i], object));
  }
  BELLOWS_CHECKED(of.crashes.restore(saved));
  BELLOWS_TRY(const std::int64_t doublings,
              saved.integer("doublings", 0, std::numeric_limits<std::int32_t>::max()));
  of.doublings = static_cast<std::int32_t>(doublings);
  if (saved.has("in-vain")) {
    BELLOWS_TRY(of.is_in_vain, saved.flag("in-vain"));
  }
  BELLOWS_TRY(of.last_crash, saved::read_time(saved, "last-crash"));
  BELLOWS_TRY(of.since, saved::read_time(saved, "since"));
  return {};
}

Result<void> HybridPolicy::restore_instance(InstanceId instance, const json::Object& saved) {
  BELLOWS_CHECKED(history_.restore_instance(instance, saved));
  return watch_.restore(instance, saved);
}

}  // namespace bellows::recommender
