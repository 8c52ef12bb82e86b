#include "recommender/kubernetes/io/target_selectors.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/scale.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::recommender {

namespace {

using kubernetes::ScaleTargetRef;
using TargetStore = kubernetes::ObjectStore<SelectorTarget>;

constexpr Duration kLook = std::chrono::milliseconds(250);
constexpr Duration kRetry = std::chrono::minutes(1);
constexpr Duration kScaleAge = std::chrono::minutes(5);

std::string kind_name(const ScaleTargetRef& target) {
  return target.api_version + " " + target.kind;
}

std::string target_name(const ScaleTargetRef& target, std::string_view ns) {
  return kind_name(target) + " " + kubernetes::object_key(ns, target.name);
}

std::optional<kubernetes::Resource> find_resource(
    const std::vector<kubernetes::ApiResource>& resources, const ScaleTargetRef& target) {
  for (const kubernetes::ApiResource& each : resources) {
    if (each.kind != target.kind || each.name.find('/') != std::string::npos) continue;
    return kubernetes::resource_of(target.api_version, each.name);
  }
  return std::nullopt;
}

/// Returns the selector of a /scale, or in VPA's words why there is none.
TargetSelector read_selector(const Result<std::string>& body, const std::string& ns,
                             const ScaleTargetRef& target) {
  const auto scale = [&]() -> Result<kubernetes::Scale> {
    if (!body) return fail(body.error());
    BELLOWS_TRY(const auto document, kubernetes::parse_document(*body));
    return kubernetes::Scale::from(*document);
  }();
  if (scale && !scale->selector.empty()) return {.selector = scale->selector, .unsupported = {}};
  const std::string reason = scale ? "Resource " + kubernetes::object_key(ns, target.name) +
                                         " has an empty selector for scale sub-resource"
                                   : to_string(scale.error());
  return unreadable("Unhandled targetRef " + target.api_version + " / " + target.kind + " / " +
                    target.name + ", last error " + reason);
}

}  // namespace

struct TargetSelectors::Kind {
  std::string name;
  std::string missing;  // why there is no resource; empty: not known yet, or there is one
  std::optional<kubernetes::Resource> resource;
  std::unique_ptr<TargetStore> store;  // null: it is asked for /scale
  bool is_told = false;                // that its list is complete
  std::unique_ptr<kubernetes::Informer> informer;
};

TargetSelectors::TargetSelectors(http::net::io_context& io, kubernetes::ApiClient& client,
                                 Random& random, std::string ns, OnFound on_found)
    : client_(client),
      random_(random),
      ns_(std::move(ns)),
      on_found_(std::move(on_found)),
      tasks_(io) {}

TargetSelectors::~TargetSelectors() = default;

std::string TargetSelectors::unknown_kind() const {
  for (const auto& [name, kind] : kinds_) {
    if (kind->is_told || !kind->missing.empty()) continue;
    const bool has_failed = kind->informer && !kind->informer->status().failure.empty();
    const bool is_read_one_by_one = kind->resource && !kind->store;
    if (!has_failed && !is_read_one_by_one) return name;
  }
  return {};
}

void TargetSelectors::start() {
  tasks_.spawn("targets", [this] { return keep_looking(); });
}

void TargetSelectors::stop() {
  tasks_.stop();
}

http::Awaitable<Result<void>> TargetSelectors::join(TimePoint deadline) {
  return tasks_.join(deadline);
}

void TargetSelectors::follow(const std::string& key, const std::string& ns,
                             const std::optional<ScaleTargetRef>& target) {
  if (!target) {
    forget(key);
    on_found_(key, unreadable("targetRef not defined. If this is a v1beta1 object, switch to v1."));
    return;
  }
  const auto known = wishes_.find(key);
  const bool is_same = known != wishes_.end() && known->second.target == *target;
  if (!is_same) {
    forget(key);
    wishes_[key] = {.ns = ns, .target = *target};
    by_target_[target_name(*target, ns)].insert(key);
    need(*target);
  }
  tell(key, wishes_.at(key));
}

void TargetSelectors::forget(const std::string& key) {
  const auto known = wishes_.find(key);
  if (known == wishes_.end()) return;
  const auto keys = by_target_.find(target_name(known->second.target, known->second.ns));
  keys->second.erase(key);
  if (keys->second.empty()) by_target_.erase(keys);
  wishes_.erase(known);
}

void TargetSelectors::need(const ScaleTargetRef& target) {
  auto& kind = kinds_[kind_name(target)];
  if (kind) return;
  kind = std::make_unique<Kind>();
  kind->name = kind_name(target);
  tasks_.spawn("look-up of " + kind->name, [this, target] { return find_kind(target); });
}

/// Asks until the server has the kind: it may be installed later.
http::Awaitable<void> TargetSelectors::find_kind(ScaleTargetRef target) {
  Kind& kind = *kinds_.at(kind_name(target));
  for (;;) {
    const auto resources = co_await kubernetes::discover_resources(client_, target.api_version);
    if (resources) kind.resource = find_resource(*resources, target);
    if (kind.resource) break;
    const bool is_answered = resources || resources.error().kind() == ErrorKind::kNotFound;
    if (is_answered) {
      kind.missing =
          "no matches for kind \"" + target.kind + "\" in version \"" + target.api_version + "\"";
    } else {
      sys::log::warning("a kind cannot be looked up",
                        {{"kind", kind.name}, {"error", to_string(resources.error())}});
    }
    tell_kind(kind.name);
    const bool may_go_on = co_await http::sleep_for(kRetry);
    if (!may_go_on) co_return;
  }
  kind.missing.clear();
  if (has_selector(target)) start_watch(kind, target);
}

void TargetSelectors::start_watch(Kind& kind, const ScaleTargetRef& target) {
  kind.store = std::make_unique<TargetStore>([this, &kind](const auto& before, const auto& after) {
    if (kind.store->listed()) target_changed(kind, (after ? after : before)->meta);
  });
  kubernetes::ListWatchOptions options;
  options.resource = *kind.resource;
  options.ns = ns_;
  kind.informer = std::make_unique<kubernetes::Informer>(
      client_, std::move(options), *kind.store, random_, [target](const Error& error) {
        sys::log::warning("a target cannot be used",
                          {{"kind", target.kind}, {"error", to_string(error)}});
      });
  tasks_.spawn("watch of " + kind.name, [&kind] { return kind.informer->run(); });
}

void TargetSelectors::target_changed(const Kind& kind, const kubernetes::ObjectMeta& meta) {
  const auto keys = by_target_.find(kind.name + " " + kubernetes::object_key(meta));
  if (keys == by_target_.end()) return;
  for (const std::string& key : keys->second) tell(key, wishes_.at(key));
}

void TargetSelectors::tell(const std::string& key, const Wish& wish) {
  const Kind& kind = *kinds_.at(kind_name(wish.target));
  if (!kind.missing.empty()) return on_found_(key, unreadable(kind.missing));
  if (!kind.store || !kind.store->listed()) return;
  const auto found = kind.store->find(wish.ns, wish.target.name);
  on_found_(key, selector_of(found.get(), wish.ns, wish.target));
}

void TargetSelectors::tell_kind(const std::string& name) {
  for (const auto& [key, wish] : wishes_) {
    if (kind_name(wish.target) == name) tell(key, wish);
  }
}

/// A target is missing only once the list of its kind is complete.
void TargetSelectors::tell_listed() {
  for (auto& [name, kind] : kinds_) {
    if (kind->is_told || !kind->store || !kind->store->listed()) continue;
    kind->is_told = true;
    tell_kind(name);
  }
}

http::Awaitable<void> TargetSelectors::keep_looking() {
  for (;;) {
    tell_listed();
    const TimePoint now = sys::system_clock().now();
    std::vector<std::pair<std::string, kubernetes::Resource>> due;
    for (const auto& [key, wish] : wishes_) {
      const Kind& kind = *kinds_.at(kind_name(wish.target));
      const bool has_scale = kind.resource && !has_selector(wish.target);
      if (has_scale && now >= wish.next_read) due.emplace_back(key, *kind.resource);
    }
    for (auto& [key, resource] : due) co_await read_scale(std::move(key), std::move(resource));
    const bool may_go_on = co_await http::sleep_for(kLook);
    if (!may_go_on) co_return;
  }
}

http::Awaitable<void> TargetSelectors::read_scale(std::string key, kubernetes::Resource resource) {
  const auto asked = wishes_.find(key);
  if (asked == wishes_.end()) co_return;
  const Wish wish = asked->second;
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kGet, std::move(resource), wish.ns,
                                 wish.target.name, "scale");
  const Result<std::string> body = co_await client_.call(std::move(request));
  const auto known = wishes_.find(key);
  if (known == wishes_.end() || known->second.target != wish.target) co_return;
  const TargetSelector found = read_selector(body, wish.ns, wish.target);
  known->second.next_read = sys::system_clock().now() + (found.selector ? kScaleAge : kRetry);
  on_found_(key, found);
}

void TargetSelectors::each_informer(
    const std::function<void(const kubernetes::Informer&)>& visit) const {
  for (const auto& [name, kind] : kinds_) {
    if (kind->informer) visit(*kind->informer);
  }
}

}  // namespace bellows::recommender
