// What `bellows check` says about the services of a running Bellows. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/check/item.hpp"
#include "cli/status/status_model.hpp"

namespace bellows::cli {

/// One item for each service; its trouble, if it has one, with what to do. Then what concerns the
/// whole machine: what does not fit, stats that were not believed.
std::vector<CheckItem> status_items(const Status& status);

/// "No replica gets ready: ... (hint)" if a service has a trouble; otherwise empty.
std::string trouble_sentence(const RevisionStatus& service);

/// What a user does about a trouble of `service`.
std::string hint_for(const std::string& service, const std::string& trouble);

}  // namespace bellows::cli
