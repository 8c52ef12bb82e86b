// Discovers the features of the server.
#pragma once

#include "http/io/net.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// Requests the server's version and its group versions. Errors are those of ApiClient::call().
http::Awaitable<Result<ServerFeatures>> discover(ApiClient& client);

/// Requests the resources of one group version: "apps/v1", "v1". kNotFound: the server does not
/// have it.
http::Awaitable<Result<std::vector<ApiResource>>> discover_resources(ApiClient& client,
                                                                     std::string group_version);

}  // namespace bellows::kubernetes
