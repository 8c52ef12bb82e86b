// Free TCP ports for apps.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/random.hpp"
#include "base/result.hpp"
#include "cluster/local/descriptor.hpp"

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

/// A port that no other lease on this machine has while this lives: every Bellows takes part, so
/// that the app of one is never bound where the queue-proxy of another looks for its own.
class PortLease {
 public:
  std::uint16_t port() const { return port_; }

 private:
  friend class PortAllocator;
  PortLease(std::uint16_t port, Descriptor claim) : port_(port), claim_(std::move(claim)) {}

  std::uint16_t port_;
  Descriptor claim_;
};

/// Goes through the range one by one from a random start, so a port comes back as late as possible.
/// Thread: the io thread.
class PortAllocator {
 public:
  PortAllocator(PortRange range, Random& random);

  /// One that can be bound on all addresses right now. kUnavailable if none can, kSystem if no
  /// socket can be opened to find out.
  Result<PortLease> lease();

 private:
  PortRange range_;
  std::uint32_t next_;  // offset into the range
};

/// The range of this machine.
PortRange machine_app_port_range();

}  // namespace bellows::cluster
