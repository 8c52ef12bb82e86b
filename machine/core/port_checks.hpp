// Whether services can have their fixed ports, each of which one app has at a time. Pure.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "config/fixed_ports.hpp"
#include "machine/core/difference.hpp"
#include "machine/core/service_record.hpp"

namespace bellows::machine {

/// kConflict: after the changes two services, or a service and an owner in `ports`, have one port.
Result<void> check_ports(const Records& records, const std::vector<ServiceChange>& changes,
                         config::FixedPorts ports);

/// kConflict: two revisions with one port get requests, by `shares` or by tags.
Result<void> check_port_of(const ServiceRecord& service, const Shares& shares);

/// Returns true if another revision of the service, which gets requests, has the port of this one:
/// its app has to end before that of this one starts.
bool has_port_of_another(const ServiceRecord& service, const RevisionRecord& revision);

}  // namespace bellows::machine
