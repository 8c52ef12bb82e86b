#include "base/sys/descriptor_reserve.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <initializer_list>
#include <limits>
#include <utility>

namespace bellows::sys {

namespace {

std::atomic<std::size_t> reserved = 0;  // changed by the io thread
std::atomic<std::size_t> expected = 0;  // changed by the io thread

}  // namespace

std::size_t descriptor_limit() {
  rlimit limit{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_known ? limit.rlim_cur : std::numeric_limits<std::size_t>::max();
}

std::size_t reserved_descriptors() {
  return reserved;
}

void expect_descriptors(std::size_t most) {
  expected = most;
}

std::size_t expected_descriptors() {
  return std::max<std::size_t>(reserved, expected);
}

DescriptorReserve::DescriptorReserve(std::size_t count) : count_(count) {
  reserved += count_;
}

DescriptorReserve::~DescriptorReserve() {
  reserved -= count_;
}

SpareDescriptors::SpareDescriptors(std::size_t count) : count_(count) {
  restore();
}

bool SpareDescriptors::spend() {
  if (held_.empty()) return false;
  held_.pop_back();
  return true;
}

void SpareDescriptors::restore() {
  while (held_.size() < count_) {
    Descriptor opened(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (opened.get() < 0) return;
    held_.push_back(std::move(opened));
  }
}

void open_standard_descriptors() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) >= 0) continue;
    // open() returns the lowest free number, which is this one. Without /dev/null there is no
    // substitute.
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
}

}  // namespace bellows::sys
