// Opens the client of the API server at the start of a program.
#pragma once

#include <memory>

#include "kubernetes/io/api_client.hpp"
#include "kubernetes/io/credentials.hpp"

namespace bellows::kubernetes {

/// Makes a client of the server that `credentials` name. Errors are those that no wait resolves:
/// those of load_credentials(), and a certificate that does not match or a plugin that does not
/// exist, detected by one call that waits at most 5 s. A server that does not respond is no error,
/// because it may start later. `random` must outlive the client.
http::Awaitable<Result<std::unique_ptr<ApiClient>>> open_client(http::net::io_context& io,
                                                                Random& random,
                                                                CredentialsOptions credentials,
                                                                ApiClientOptions options);

}  // namespace bellows::kubernetes
