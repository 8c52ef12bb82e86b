// The commands of `recommender` that have to do with a running one.
#pragma once

#include <string>
#include <vector>

#include "config/layer.hpp"

namespace bellows::recommender {

/// recommender serve: until SIGTERM or SIGINT. The exit code.
int serve(const std::vector<std::string>& words);

/// recommender explain POD/CONTAINER --admin HOST:PORT: asks a running recommender or `bellows run`
/// and prints what it says. The exit code.
int explain_live(const std::string& name, const std::string& admin, const std::string& policy);

}  // namespace bellows::recommender
