#include "proxy/io/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "base/sys/descriptor_reserve.hpp"

namespace bellows::proxy {

namespace {

constexpr rlim_t kOwnShare = 16;

}  // namespace

std::size_t limit_by_descriptors(std::size_t wanted, std::size_t listening) {
  constexpr rlim_t kOwn = 24;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t own = kOwn + limit.rlim_cur / kOwnShare + listening + sys::expected_descriptors();
  const rlim_t room = limit.rlim_cur > own ? (limit.rlim_cur - own) / 2 : 0;
  return std::clamp<std::size_t>(room, 1, wanted);
}

std::size_t own_descriptors() {
  constexpr std::size_t kLeast = 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return std::numeric_limits<std::size_t>::max();
  return std::max<std::size_t>(limit.rlim_cur / kOwnShare, kLeast);
}

}  // namespace bellows::proxy
