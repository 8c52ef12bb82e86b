// Objects of the API of the size that real clusters have, as the API server writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::test {

struct SamplePod {
  std::string ns = "shop";
  std::string name = "checkout-service-6d5f9c7b54-x2x9z";
  std::string owner = "checkout-service-6d5f9c7b54";  ///< its ReplicaSet; gives the labels
  std::string uid = "5f7c9a52-3f0e-4c7b-9d1e-1c2b3a4d5e6f";
  std::uint64_t resource_version = 1000;
  std::string ip = "10.244.3.17";  ///< empty: not scheduled yet
  bool ready = true;
  std::size_t size = 12 * 1024;  ///< of the text, at least; managedFields and env fill it
};

/// A running pod of one Deployment with two containers, managedFields of three managers, volumes,
/// tolerations and environment. JSON without spaces, as the server sends it.
std::string pod_json(const SamplePod& pod);

/// A Deployment with its label bellows.dev/autoscale, about 6 KB.
std::string deployment_json(std::string_view ns, std::string_view name, int replicas,
                            std::uint64_t resource_version);

}  // namespace bellows::test
