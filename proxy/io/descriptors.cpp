#include "proxy/io/descriptors.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "base/sys/descriptor_reserve.hpp"

namespace bellows::proxy {

std::size_t limit_by_descriptors(std::size_t wanted, std::size_t listening) {
  constexpr rlim_t kOwn = 24;
  constexpr rlim_t kOwnShare = 16;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  const rlim_t own = kOwn + limit.rlim_cur / kOwnShare + listening + sys::reserved_descriptors();
  const rlim_t room = limit.rlim_cur > own ? (limit.rlim_cur - own) / 2 : 0;
  return std::clamp<std::size_t>(room, 1, wanted);
}

}  // namespace bellows::proxy
