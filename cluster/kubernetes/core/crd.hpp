// The CustomResourceDefinition of Revision, made from the declarations of the settings.
#pragma once

#include <string>

namespace bellows::cluster {

/// Returns deploy/crd.yaml: a structural schema, with a CEL rule for each rule between settings
/// that has one. Servers before 1.25 have no CEL, and kubectl of servers before 1.23 refuses the
/// field: tools/manifest leaves it out of the file for those. It has no defaults for settings,
/// because those depend on the profile.
std::string crd_yaml();

}  // namespace bellows::cluster
