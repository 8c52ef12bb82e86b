// Descriptors that this process needs for other things than connections.
#pragma once

#include <cstddef>
#include <vector>

#include "base/sys/descriptor.hpp"

namespace bellows::sys {

/// RLIMIT_NOFILE as it is now; the largest number if it is unknown or unlimited.
std::size_t descriptor_limit();

/// How many descriptors are reserved by all DescriptorReserves that exist. A limit of connections
/// subtracts them. Thread: the io thread.
std::size_t reserved_descriptors();

/// Reserves descriptors as long as it exists. Owner: what has them open, or is about to.
class DescriptorReserve {
 public:
  explicit DescriptorReserve(std::size_t count);
  ~DescriptorReserve();
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;

 private:
  const std::size_t count_;
};

/// Descriptors that are open for nothing: one is closed when this process has no other left, so
/// that the next thing that is opened has its place. Owner: who must be able to open that in any
/// case. Thread: one.
class SpareDescriptors {
 public:
  explicit SpareDescriptors(std::size_t count);

  /// Closes one. False: there is none any more.
  bool spend();
  /// Opens what was spent again, as far as there is room. Call it when something was closed.
  void restore();

 private:
  const std::size_t count_;
  std::vector<Descriptor> held_;
};

/// Opens /dev/null in place of standard input, output or error that this process was started
/// without: otherwise a socket gets that number, and the log goes into it. Call it first in main().
void open_standard_descriptors();

}  // namespace bellows::sys
