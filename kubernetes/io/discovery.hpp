// What the server has.
#pragma once

#include "http/io/net.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// Asks the server for its version and its group versions. Errors as of ApiClient::call().
http::Awaitable<Result<ServerFeatures>> discover(ApiClient& client);

/// Asks for the resources of one group version: "apps/v1", "v1". kNotFound: the server has no such
/// one.
http::Awaitable<Result<std::vector<ApiResource>>> discover_resources(ApiClient& client,
                                                                     std::string group_version);

}  // namespace bellows::kubernetes
