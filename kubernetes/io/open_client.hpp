// The client of the API server that a program starts with.
#pragma once

#include <memory>

#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

/// A client of the server that `credentials` name. Errors are what no wait will cure: those of
/// load_credentials(), and a certificate that does not fit or a plugin that does not exist, found
/// by one call that waits at most 5 s. A server that does not answer is no error: it may come
/// later. `random` outlives the client.
http::Awaitable<Result<std::unique_ptr<ApiClient>>> open_client(http::net::io_context& io,
                                                                Random& random,
                                                                CredentialsOptions credentials,
                                                                ApiClientOptions options);

}  // namespace bellows::kubernetes
