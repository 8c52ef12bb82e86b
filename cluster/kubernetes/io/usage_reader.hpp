// Reads what pods use from the metrics API, at regular intervals.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/sys/clock.hpp"
#include "cluster/kubernetes/core/pod_usage.hpp"
#include "http/io/net.hpp"
#include "kubernetes/core/resource.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::cluster {

/// The result of one reading.
struct UsageReading {
  PodUsages usages;
  std::string problem;  ///< why nothing is measured, a clause; empty: the API answers
};

/// Reads all pods of the namespaces that are watched, every 15 s, in one request. After a request
/// that failed the last usages count until they are kUsageAge old. Owner: the KubernetesCluster.
/// Thread: the io thread.
class UsageReader {
 public:
  using OnReading = std::function<void(UsageReading reading)>;

  /// All of them outlive it. `ns`: the only namespace that is read; empty: all.
  UsageReader(const sys::Clock& clock, kubernetes::ApiClient& client, std::string ns,
              OnReading on_reading);

  /// Uses what the server has from now on, which may be no metrics API.
  void use(const kubernetes::ServerFeatures& features);
  /// Reads until it is cancelled.
  http::Awaitable<void> run();

 private:
  http::Awaitable<Result<PodUsages>> read(kubernetes::Resource resource);
  void take(Result<PodUsages> read);
  void failed(std::string problem);

  const sys::Clock& clock_;
  kubernetes::ApiClient& client_;
  std::string ns_;
  OnReading on_reading_;
  std::optional<kubernetes::Resource> resource_;
  bool is_discovered_ = false;
  std::optional<TimePoint> read_at_;  // of the last one that succeeded
  std::string problem_;               // the one that was logged
};

}  // namespace bellows::cluster
