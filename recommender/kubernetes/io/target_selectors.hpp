// Finds the pods of the targets that objects of VPA name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/random.hpp"
#include "http/io/net.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/informer.hpp"
#include "recommender/kubernetes/core/selector_target.hpp"

namespace bellows::recommender {

/// Follows each kind with a selector of its own from the first object on that names it. Of other
/// kinds it reads the subresource /scale of each target: once a minute until it has a selector,
/// then every five minutes. A kind that the server lacks is looked for once a minute. Owner: the
/// program. Thread: the io thread.
class TargetSelectors {
 public:
  /// `key`: of the object that names the target.
  using OnFound = std::function<void(const std::string& key, const TargetSelector& found)>;

  /// All references outlive it. `ns`: the only namespace that is followed; empty: all.
  TargetSelectors(http::net::io_context& io, kubernetes::ApiClient& client, Random& random,
                  std::string ns, OnFound on_found);
  ~TargetSelectors();

  /// Finds the target of an object, which may have had another one before.
  void follow(const std::string& key, const std::string& ns,
              const std::optional<kubernetes::ScaleTargetRef>& target);
  void forget(const std::string& key);

  /// Returns the first kind of targets that is not known yet: neither listed, nor missing, nor
  /// refused. Empty: none.
  std::string unknown_kind() const;

  void start();
  void stop();
  http::Awaitable<Result<void>> join(TimePoint deadline);

  /// Returns the informers of the followed kinds, for metrics.
  void each_informer(const std::function<void(const kubernetes::Informer&)>& visit) const;

 private:
  struct Wish {
    std::string ns;
    kubernetes::ScaleTargetRef target;
    TimePoint next_read{};  // of /scale
  };
  struct Kind;

  void need(const kubernetes::ScaleTargetRef& target);
  http::Awaitable<void> find_kind(kubernetes::ScaleTargetRef target);
  void start_watch(Kind& kind, const kubernetes::ScaleTargetRef& target);
  void target_changed(const Kind& kind, const kubernetes::ObjectMeta& meta);
  void tell(const std::string& key, const Wish& wish);
  void tell_kind(const std::string& name);
  void tell_listed();
  http::Awaitable<void> keep_looking();
  http::Awaitable<void> read_scale(std::string key, kubernetes::Resource resource);

  kubernetes::ApiClient& client_;
  Random& random_;
  const std::string ns_;
  const OnFound on_found_;
  std::map<std::string, Wish> wishes_;                      // by key of the object
  std::map<std::string, std::set<std::string>> by_target_;  // keys of objects
  std::map<std::string, std::unique_ptr<Kind>> kinds_;      // by apiVersion and kind
  http::TaskGroup tasks_;
};

}  // namespace bellows::recommender
