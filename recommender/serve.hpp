// The commands of `recommender` that have to do with a running one.
#pragma once

#include <string>

namespace bellows::recommender {

/// recommender serve: until SIGTERM or SIGINT. The arguments from "serve" on. The exit code.
int serve(int argc, char** argv);

/// recommender explain POD/CONTAINER --admin HOST:PORT: asks a running recommender or `bellows run`
/// and prints what it says. The exit code.
int explain_live(const std::string& name, const std::string& admin, const std::string& policy);

}  // namespace bellows::recommender
