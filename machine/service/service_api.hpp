// The pages by which commands change the services of a running machine (docs/revisions.md).
#pragma once

#include "http/io/service_server.hpp"
#include "machine/service/deployer.hpp"
#include "machine/service/machine.hpp"

namespace bellows::machine {

/// GET /v1/services and /v1/services/NAME; POST /v1/services/NAME/ACTION with deploy, add, remove,
/// rollback, split or tag; POST /v1/apply and /v1/route-test. Call it before server.listen(); `io`
/// and `deployer` outlive the server. `read_settings`: empty if there is no settings file.
void add_service_routes(http::net::io_context& io, http::ServiceServer& server, Deployer& deployer,
                        ReadSettings read_settings);

}  // namespace bellows::machine
