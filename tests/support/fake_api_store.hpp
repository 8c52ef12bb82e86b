// What an API server keeps: objects with versions, and the changes that watches are told of.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "kubernetes/core/resource.hpp"
#include "kubernetes/core/selector.hpp"

namespace bellows::test {

/// A kind of objects that a FakeApiStore serves.
struct FakeApiKind {
  kubernetes::Resource resource;
  std::string kind;
  bool is_namespaced = true;
  bool has_status = false;                       ///< a subresource /status
  bool has_scale = false;                        ///< a subresource /scale, of spec.replicas
  std::vector<std::string> other_versions = {};  ///< served alike: {"v1beta1"}
};

/// HTTP status and body.
struct FakeApiAnswer {
  int status = 200;
  std::string body;
};
FakeApiAnswer api_status(int code, std::string_view reason, std::string_view message);

/// One entry of what happened, for watches.
struct FakeApiChange {
  std::uint64_t version = 0;
  const FakeApiKind* kind = nullptr;
  std::string ns;
  std::string name;
  std::shared_ptr<const std::string> object;  // null: it is gone; owners: the store, its readers
  std::shared_ptr<const std::string> before;  // null: it is new
  kubernetes::StringMap labels;
  kubernetes::StringMap labels_before;
};

/// What a write carries beside its body.
struct FakeApiWrite {
  std::string content_type = "application/json";
  std::string body;
  std::string manager = "test";  ///< for managedFields
  WallTime now{};
  bool is_graceful = true;  ///< a DELETE without gracePeriodSeconds 0
};

/// Pure. Follows the API server where clients can see it: every write raises one counter, writes
/// with an older resourceVersion conflict, /status and the rest do not write each other's part, a
/// changed spec raises the generation, equal writes change nothing, a bound pod that is deleted
/// stays until it is deleted without grace. It checks no schema. Owner: a FakeApiServer, or a test.
class FakeApiStore {
 public:
  FakeApiStore();

  /// Adds a kind, a custom resource say. Those of pods, services, events, namespaces, deployments,
  /// replicasets, statefulsets, leases, endpointslices, horizontalpodautoscalers are there.
  void add_kind(FakeApiKind kind);
  /// Nothing: no such kind is served in that version.
  const FakeApiKind* find_kind(const kubernetes::Resource& resource) const;
  const std::map<kubernetes::Resource, FakeApiKind>& kinds() const { return kinds_; }

  /// Puts an object as it is, as a controller would; resourceVersion and, if missing, uid and
  /// creationTimestamp are set. The JSON must be an object with a name.
  void put(const kubernetes::Resource& resource, const std::string& object);
  void remove(const kubernetes::Resource& resource, std::string_view ns, std::string_view name);
  /// The object as text; null: none.
  std::shared_ptr<const std::string> find(const kubernetes::Resource& resource, std::string_view ns,
                                          std::string_view name) const;
  std::size_t count(const kubernetes::Resource& resource) const;

  struct ListOptions {
    std::string ns;
    kubernetes::Selector labels;
    std::string name;  ///< of the field selector metadata.name
    std::size_t limit = 0;
    std::string token;
  };
  /// Calls `visit` with each object that is meant, without pages.
  void each_matching(const FakeApiKind& kind, const ListOptions& options,
                     const std::function<void(const std::string&)>& visit) const;
  /// 410 for a page whose version was compacted.
  FakeApiAnswer list(const FakeApiKind& kind, const ListOptions& options);
  FakeApiAnswer get(const FakeApiKind& kind, std::string_view ns, std::string_view name,
                    std::string_view subresource) const;
  FakeApiAnswer create(const FakeApiKind& kind, std::string_view ns, const FakeApiWrite& write);
  FakeApiAnswer update(const FakeApiKind& kind, std::string_view ns, std::string_view name,
                       std::string_view subresource, const FakeApiWrite& write);
  FakeApiAnswer patch(const FakeApiKind& kind, std::string_view ns, std::string_view name,
                      std::string_view subresource, const FakeApiWrite& write);
  FakeApiAnswer erase(const FakeApiKind& kind, std::string_view ns, std::string_view name,
                      const FakeApiWrite& write);

  std::uint64_t version() const { return version_; }
  /// Versions before this one are gone: a watch from them gets 410.
  std::uint64_t compacted() const { return compacted_; }
  void compact();
  /// The changes after `version`, which is not compacted.
  void changes_since(std::uint64_t version,
                     const std::function<void(const FakeApiChange&)>& visit) const;
  /// Called after each change.
  void on_change(std::function<void()> told) { told_ = std::move(told); }

  /// As if another server with other data stood at the address: nothing but `first_version` stays.
  void replace_data(std::uint64_t first_version);

 private:
  using Key = std::pair<std::string, std::string>;  // namespace, name
  struct Stored {
    std::shared_ptr<const std::string> text;
    kubernetes::StringMap labels;
  };
  using Objects = std::map<Key, Stored>;
  struct Page {
    std::vector<std::shared_ptr<const std::string>> rest;
    std::uint64_t version;
  };

  Objects& objects(const FakeApiKind& kind) { return objects_[kind.kind]; }
  std::vector<std::shared_ptr<const std::string>> matching(const FakeApiKind& kind,
                                                           const ListOptions& options) const;
  const Stored* stored(const FakeApiKind& kind, std::string_view ns, std::string_view name) const;
  std::string store(const FakeApiKind& kind, boost::json::object object, WallTime now);
  void drop(const FakeApiKind& kind, const Key& key);
  void log(FakeApiChange change);
  FakeApiAnswer write(const FakeApiKind& kind, const Stored& before, boost::json::object after,
                      std::string_view subresource, const FakeApiWrite& write);
  FakeApiAnswer write_scale(const FakeApiKind& kind, const Stored& before,
                            const boost::json::value& scale, const FakeApiWrite& write);

  std::map<kubernetes::Resource, FakeApiKind> kinds_;
  std::map<std::string, Objects> objects_;  // by the kind's name: all its versions are one
  std::deque<FakeApiChange> changes_;
  std::deque<std::pair<std::string, Page>> pages_;  // by token, the newest last
  std::uint64_t version_ = 1;
  std::uint64_t compacted_ = 0;
  std::uint64_t made_ = 0;  // uids and tokens
  std::function<void()> told_;
};

}  // namespace bellows::test
