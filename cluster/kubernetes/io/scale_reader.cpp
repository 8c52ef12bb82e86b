#include "cluster/kubernetes/io/scale_reader.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/target_scale.hpp"
#include "cluster/kubernetes/io/requests.hpp"

namespace bellows::cluster {

namespace {

/// A rollout changes its target's status many times a second.
constexpr Duration kBetween = std::chrono::seconds(1);
constexpr Duration kRetry = std::chrono::seconds(5);

}  // namespace

ScaleReader::ScaleReader(kubernetes::ApiClient& client, http::TaskGroup& tasks,
                         Directory& directory, std::function<void()> changed)
    : client_(client), tasks_(tasks), directory_(directory), changed_(std::move(changed)) {}

void ScaleReader::target_changed(const Kind& kind, const TargetPtr& before,
                                 const TargetPtr& after) {
  const std::string key = kind.name + " " + kubernetes::object_key((after ? after : before)->meta);
  const bool is_complete = after && !leaves_to_scale(*after);
  const auto known = entries_.find(key);
  if (known == entries_.end() && (is_complete || !after)) {
    directory_.target_changed(kind.name, before, after);
    changed_();
    return;
  }
  Entry& entry = entries_[key];
  if (entry.kind.name.empty()) entry = {.kind = kind, .latest = nullptr, .given = before};
  entry.latest = after;
  entry.is_stale = true;
  if (!is_complete && after) {
    read_if_needed(key);
    return;
  }
  give(entry, after);
  entry.is_stale = false;
  if (!entry.is_reading) entries_.erase(key);
}

void ScaleReader::give(Entry& entry, const TargetPtr& made) {
  if (!entry.given && !made) return;
  directory_.target_changed(entry.kind.name, std::exchange(entry.given, made), made);
  changed_();
}

void ScaleReader::read_if_needed(const std::string& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (!entry.is_stale || entry.is_reading) return;
  if (entry.given && directory_.revisions_of(key).empty()) return;
  entry.is_reading = true;
  tasks_.spawn("scale of " + key, [this, key] { return read(key); });
}

http::Awaitable<void> ScaleReader::read(std::string key) {
  for (;;) {
    const auto asked = entries_.find(key);
    asked->second.is_stale = false;
    const TargetPtr target = asked->second.latest;
    const Result<kubernetes::Scale> scale =
        co_await scale_of(asked->second.kind.resource, target->meta.ns, target->meta.name);
    Entry& entry = entries_.at(key);  // it stays while it is being read
    take(entry, target, scale);
    const bool may_go_on = co_await http::sleep_for(scale ? kBetween : kRetry);
    if (!may_go_on) co_return;
    if (!entry.latest || !leaves_to_scale(*entry.latest)) {
      entries_.erase(key);
      co_return;
    }
    const bool is_wanted = !entry.given || !directory_.revisions_of(key).empty();
    if (!entry.is_stale || !is_wanted) break;
  }
  entries_.at(key).is_reading = false;
}

http::Awaitable<Result<kubernetes::Scale>> ScaleReader::scale_of(kubernetes::Resource resource,
                                                                 std::string ns, std::string name) {
  kubernetes::ApiRequest request(kubernetes::ApiVerb::kGet, std::move(resource), std::move(ns),
                                 std::move(name), "scale");
  BELLOWS_CO_TRY(const std::string body, co_await client_.call(std::move(request)));
  co_return read_scale(body);
}

/// The result is in force if the object is still the one that was asked for.
void ScaleReader::take(Entry& entry, const TargetPtr& asked,
                       const Result<kubernetes::Scale>& scale) {
  const std::string kind = entry.kind.name;
  const bool is_same =
      entry.latest && leaves_to_scale(*entry.latest) && entry.latest->meta.uid == asked->meta.uid;
  if (!scale) {
    entry.is_stale = true;
    sys::log::warning("a target's scale cannot be read",
                      {{"target", asked->meta.name}, {"error", to_string(scale.error())}});
    if (!told_.contains(kind)) {
      directory_.kind_known(kind, to_string(scale.error()));
      changed_();
    }
  } else if (is_same && scale->meta.uid == asked->meta.uid) {
    give(entry, std::make_shared<const kubernetes::ScaleTarget>(with_scale(*entry.latest, *scale)));
  } else {
    entry.is_stale = true;
  }
  tell_kind(kind);
}

void ScaleReader::listed(const std::string& kind) {
  listed_.insert(kind);
  tell_kind(kind);
}

void ScaleReader::tell_kind(const std::string& kind) {
  if (!listed_.contains(kind) || told_.contains(kind)) return;
  const bool waits = std::ranges::any_of(entries_, [&](const auto& each) {
    return each.second.kind.name == kind && each.second.latest && !each.second.given;
  });
  if (waits) return;
  told_.insert(kind);
  directory_.kind_known(kind, {});
  changed_();
}

}  // namespace bellows::cluster
