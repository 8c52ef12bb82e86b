// Checks of the certificates of the port for requests, for `bellows check`.
#pragma once

#include <vector>

#include "base/endpoint.hpp"
#include "base/sys/clock.hpp"
#include "cli/check/item.hpp"
#include "config/tls_settings.hpp"

namespace bellows::cli {

/// Returns one item for each certificate: for which hosts, and until when; or why they, or the ACME
/// folder, cannot be used. Empty if TLS is off or its certificate is made at the start. Reads
/// files.
std::vector<CheckItem> certificate_items(const config::TlsSettings& settings,
                                         const Endpoint& listen, const sys::Clock& clock);

}  // namespace bellows::cli
