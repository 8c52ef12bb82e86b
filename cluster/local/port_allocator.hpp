// Free TCP ports for apps.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/sys/descriptor.hpp"

namespace bellows::cluster {

/// First and last port, both included.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  bool operator==(const PortRange&) const = default;
};

/// Returns the ports for apps: from 20000 up to the ephemeral range, so that no outgoing connection
/// gets a port between the test here and the bind of the app. If those are fewer than 1000: above
/// the ephemeral range, or below 20000. `ephemeral` is the text of
/// /proc/sys/net/ipv4/ip_local_port_range; Linux's default if it cannot be parsed. Pure.
PortRange app_port_range(std::string_view ephemeral);

/// The exclusive use of a port among all Bellows processes of this machine. It prevents that a
/// queue-proxy reaches the app of another Bellows.
class PortLease {
 public:
  std::uint16_t port() const { return port_; }

 private:
  friend class PortAllocator;
  PortLease(std::uint16_t port, sys::Descriptor claim) : port_(port), claim_(std::move(claim)) {}

  std::uint16_t port_;
  sys::Descriptor claim_;
};

/// Tries the range in order from a random start, so a port is reused as late as possible.
/// Thread: the io thread.
class PortAllocator {
 public:
  PortAllocator(PortRange range, Random& random);

  /// Leases a port that can be bound on all addresses now, and for which `is_kept` returns false.
  /// kUnavailable if there is none, kSystem if the test cannot open a socket.
  Result<PortLease> lease(const std::function<bool(std::uint16_t)>& is_kept = {});

  /// Leases this port, even if another process listens there. kConflict: a Bellows process has it.
  static Result<PortLease> lease_fixed(std::uint16_t port);

 private:
  PortRange range_;
  std::uint32_t next_;  // offset into the range
};

/// Returns the range of this machine.
PortRange machine_app_port_range();

}  // namespace bellows::cluster
