// The objects of one kind in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/core/object_meta.hpp"
#include "kubernetes/core/object_sink.hpp"
#include "kubernetes/core/shared_parts.hpp"

namespace bellows::kubernetes {

/// T is one of the kinds of this folder, with T::fields(), T::from() and T::meta. Iteration is in
/// order of namespace, then name. Objects are immutable and shared with the readers.
template <class T>
class ObjectStore final : public ObjectSink {
 public:
  using Ptr = std::shared_ptr<const T>;  // shared with the readers of the store
  /// `before` is null for a new object, `after` for a removed one. It is called after the store has
  /// been changed, and must not change the store.
  using OnChange = std::function<void(const Ptr& before, const Ptr& after)>;

  explicit ObjectStore(OnChange on_change = {}) : on_change_(std::move(on_change)) {}

  Ptr find(std::string_view ns, std::string_view name) const {
    const auto found = entries_.find(Key{ns, name});
    return found == entries_.end() ? nullptr : found->object;
  }
  /// Returns the object with the key NAMESPACE/NAME.
  Ptr find(std::string_view key) const {
    const ObjectName name = split_key(key);
    return find(name.ns, name.name);
  }
  std::size_t size() const { return entries_.size(); }
  /// Calls `visit(const Ptr&)` for each, in order.
  template <class F>
  void each(F visit) const {
    for (const Entry& entry : entries_) visit(entry.object);
  }
  /// Returns true once a list is complete.
  bool listed() const { return listed_; }

  const FieldSet& fields() const override { return T::fields(); }

  Result<void> put(const boost::json::object& pruned) override {
    const ObjectIdentity identity = identity_of(pruned);
    const ObjectName name = split_key(identity.key);
    const auto found = entries_.find(Key{name.ns, name.name});
    if (found == entries_.end()) {
      BELLOWS_TRY(const Ptr after, read(pruned));
      entries_.insert({after, round_});
      changed(nullptr, after);
      return {};
    }
    found->round = round_;
    const ObjectMeta& known = found->object->meta;
    // A re-list or a restarted watch may send the same version again, which is not reported.
    if (known.uid == identity.uid && known.resource_version == identity.resource_version &&
        !identity.resource_version.empty()) {
      return {};
    }
    BELLOWS_TRY(const Ptr after, read(pruned));
    const Ptr before = std::exchange(found->object, after);
    changed(before, after);
    return {};
  }

  void remove(std::string_view ns, std::string_view name) override {
    const auto found = entries_.find(Key{ns, name});
    if (found != entries_.end()) erase(found);
  }

  void list_begins() override { ++round_; }

  void list_complete() override {
    for (auto at = entries_.begin(); at != entries_.end();) {
      at = at->round == round_ ? std::next(at) : erase(at);
    }
    listed_ = true;
  }

  bool holds(std::string_view ns, std::string_view name, std::string_view uid,
             std::string_view resource_version) const override {
    const Ptr object = find(ns, name);
    return object != nullptr && object->meta.uid == uid &&
           object->meta.resource_version == resource_version;
  }

 private:
  using Key = std::pair<std::string_view, std::string_view>;
  /// Namespace and name are those of the object, which never change.
  struct Entry {
    mutable Ptr object;
    mutable std::uint32_t round;  // round of the list in which it was last seen
  };
  struct ByName {
    using is_transparent = void;
    static Key key(const Entry& entry) { return {entry.object->meta.ns, entry.object->meta.name}; }
    static Key key(const Key& key) { return key; }
    bool operator()(const auto& a, const auto& b) const { return key(a) < key(b); }
  };
  using Entries = std::set<Entry, ByName>;

  Result<Ptr> read(const boost::json::object& pruned) {
    BELLOWS_TRY(T object, T::from(pruned));
    if constexpr (requires { object.share_with(parts_); }) {
      object.share_with(parts_);
    } else {
      parts_.share(object.meta);
    }
    return std::make_shared<const T>(std::move(object));
  }

  typename Entries::iterator erase(typename Entries::iterator at) {
    const Ptr before = at->object;
    const auto next = entries_.erase(at);
    changed(before, nullptr);
    return next;
  }

  void changed(const Ptr& before, const Ptr& after) {
    if (on_change_) on_change_(before, after);
  }

  OnChange on_change_;
  Entries entries_;
  SharedParts parts_;
  std::uint32_t round_ = 0;
  bool listed_ = false;
};

}  // namespace bellows::kubernetes
