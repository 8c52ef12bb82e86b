#include "kubernetes/io/discovery.hpp"

#include <utility>

namespace bellows::kubernetes {

http::Awaitable<Result<ServerFeatures>> discover(ApiClient& client) {
  ServerFeatures features;
  BELLOWS_CO_TRY(const std::string version, co_await client.call(ApiRequest("/version")));
  BELLOWS_CO_TRY(features.version, parse_version(version));
  BELLOWS_CO_TRY(const std::string groups, co_await client.call(ApiRequest("/apis")));
  BELLOWS_CO_TRY(features.group_versions, parse_group_list(groups));
  co_return features;
}

http::Awaitable<Result<std::vector<ApiResource>>> discover_resources(ApiClient& client,
                                                                     std::string group_version) {
  const bool is_core = group_version.find('/') == std::string::npos;
  BELLOWS_CO_TRY(
      const std::string resources,
      co_await client.call(ApiRequest((is_core ? "/api/" : "/apis/") + std::move(group_version))));
  co_return parse_resource_list(resources);
}

}  // namespace bellows::kubernetes
