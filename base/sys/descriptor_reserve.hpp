// Descriptors that this process reserves for uses other than connections.
#pragma once

#include <cstddef>
#include <vector>

#include "base/sys/descriptor.hpp"

namespace bellows::sys {

/// Returns the current RLIMIT_NOFILE; the largest number if it is unknown or unlimited.
std::size_t descriptor_limit();

/// Returns the number of descriptors that all existing DescriptorReserves reserve. Thread: the
/// io thread.
std::size_t reserved_descriptors();

/// Announces how many descriptors will be reserved at most. Thread: the io thread.
void expect_descriptors(std::size_t most);

/// Returns reserved_descriptors(), or the announced number if that is more: a limit of connections
/// subtracts it, because a connection that is accepted now stays when others need its descriptor.
std::size_t expected_descriptors();

/// Reserves descriptors as long as it exists. Owner: the object that has them open, or is about to
/// open them.
class DescriptorReserve {
 public:
  explicit DescriptorReserve(std::size_t count);
  ~DescriptorReserve();
  DescriptorReserve(const DescriptorReserve&) = delete;
  DescriptorReserve& operator=(const DescriptorReserve&) = delete;

 private:
  const std::size_t count_;
};

/// Holds placeholder descriptors. When this process has no other left, one is closed so that the
/// next open succeeds. Owner: the object whose open must never fail. Thread: one.
class SpareDescriptors {
 public:
  explicit SpareDescriptors(std::size_t count);

  /// Closes one placeholder; returns false if none is left.
  bool spend();
  /// Opens the closed placeholders again, as far as the limit allows. Call it after a close.
  void restore();

 private:
  const std::size_t count_;
  std::vector<Descriptor> held_;
};

/// Opens /dev/null in place of a standard input, output or error that this process started without.
/// Otherwise a socket could get that number, and the log would be written into it. Call it first in
/// main().
void open_standard_descriptors();

}  // namespace bellows::sys
