// The kinds of the objects in deploy/, in the order in which they are removed. A server that lacks
// a kind has no such object.
#pragma once

#include <vector>

#include "kubernetes/core/resource.hpp"

namespace bellows::cli {

/// Returns the kinds that inject pods as they are made. A binding is before its policy.
std::vector<kubernetes::Resource> kinds_of_injection();

/// Returns the kinds in the namespace of the programs, but those that keep their rights. The
/// NetworkPolicies of other namespaces stay: they protect the queue-proxies, which stay too.
std::vector<kubernetes::Resource> kinds_of_programs();

/// Returns the kinds of rights and of what watches the programs, in any namespace or in none.
std::vector<kubernetes::Resource> kinds_around_programs();

/// Returns the kinds of objects that users may have put beside the programs, without those that
/// other objects own.
std::vector<kubernetes::Resource> kinds_of_users();

}  // namespace bellows::cli
