// Checks of the services of a running Bellows, for `bellows check`. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/check/item.hpp"
#include "cli/status/status_model.hpp"

namespace bellows::cli {

/// Returns one item for each service, or for each of its revisions if it has several; its trouble,
/// if it has one, with what to do. Then items of the whole machine: replicas that do not fit, stats
/// that were refused.
std::vector<CheckItem> status_items(const Status& status);

/// Returns why the service does not serve, or would not serve its next request: its trouble, why
/// it is not ready yet, or why its last starts failed. Empty: nothing is wrong.
std::string service_trouble(const ServiceStatus& service);

/// Returns "No replica gets ready: ... (hint)" if a service has a trouble; otherwise empty.
std::string trouble_sentence(const ServiceStatus& service);

/// Returns the remedy of a trouble of `service`.
std::string hint_for(const std::string& service, const std::string& trouble);

}  // namespace bellows::cli
