// Free TCP ports for apps.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "base/random.hpp"
#include "base/result.hpp"

namespace bellows::cluster {

/// First and last port, both included.
struct PortRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;
  bool operator==(const PortRange&) const = default;
};

/// Where apps get their ports: below the ephemeral range, from 20000 up, so that no outgoing
/// connection takes one between our test and the app's bind; above it, or below 20000, if there are
/// fewer than 1000. `ephemeral` is the text of /proc/sys/net/ipv4/ip_local_port_range; one that
/// cannot be read counts as Linux's default. Pure.
PortRange app_port_range(std::string_view ephemeral);

class PortAllocator;

/// A port that is ours while this lives. Movable. Outlived by its allocator.
class PortLease {
 public:
  PortLease(PortLease&& other) noexcept;
  PortLease& operator=(PortLease&& other) = delete;
  ~PortLease();

  std::uint16_t port() const { return port_; }

 private:
  friend class PortAllocator;
  PortLease(PortAllocator& owner, std::uint16_t port) : owner_(&owner), port_(port) {}

  PortAllocator* owner_;
  std::uint16_t port_;
};

/// Goes through the range one by one from a random start, so a port comes back as late as possible.
/// Thread: the io thread.
class PortAllocator {
 public:
  PortAllocator(PortRange range, Random& random);

  /// One that can be bound on all addresses right now. kUnavailable if none can.
  Result<PortLease> lease();

 private:
  friend class PortLease;

  PortRange range_;
  std::uint32_t next_;  // offset into the range
  std::unordered_set<std::uint16_t> leased_;
};

/// The range of this machine.
PortRange machine_app_port_range();

}  // namespace bellows::cluster
