// Why a revision has no ready replica yet.
#pragma once

#include <string>

#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// Returns why a revision without a ready replica is not ready yet, one line; empty: it has one,
/// or it has failed (Revision::failure_message), or the reason is not known.
std::string not_ready_because(const Revision& listed);

}  // namespace bellows::cluster
