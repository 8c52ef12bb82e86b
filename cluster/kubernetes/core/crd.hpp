// The CustomResourceDefinition of Revision, made from the declarations of the settings.
#pragma once

#include <string>

namespace bellows::cluster {

/// Returns deploy/crd.yaml. One text for all servers from 1.20 on: a structural schema without CEL
/// rules, which 1.20 would drop. It has no defaults for settings, because those depend on the
/// profile.
std::string crd_yaml();

}  // namespace bellows::cluster
