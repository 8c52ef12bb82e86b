#include "cluster/local/port_allocator.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace bellows::cluster {

namespace {

constexpr int kFewPorts = 1000;
constexpr int kPreferredFirst = 20000;
constexpr int kLowestFree = 1024;
constexpr int kHighest = 65535;

Result<sys::Descriptor> open_socket(int family) {
  sys::Descriptor opened(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (opened.get() < 0) return fail(system_error("socket", "cannot be opened", errno));
  return opened;
}

/// Binds an address of any family; all of them are passed by their common beginning.
template <class Address>
bool bind_to(const sys::Descriptor& opened, const Address& address, std::size_t size) {
  return ::bind(opened.get(), reinterpret_cast<const sockaddr*>(&address),
                static_cast<socklen_t>(size)) == 0;
}

/// The claim is an address in the abstract namespace (unix(7)): the kernel gives it to one process,
/// releases it however that process ends, and keeps it per network namespace, like the port.
bool claim(const sys::Descriptor& opened, std::uint16_t port) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "bellows-app-port-" + std::to_string(port);
  name.copy(address.sun_path + 1, name.size());
  return bind_to(opened, address, offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

bool can_be_bound(const sys::Descriptor& opened, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return bind_to(opened, address, sizeof address);
}

PortRange range(int first, int last) {
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

}  // namespace

PortRange app_port_range(std::string_view ephemeral) {
  int low = 0;
  int high = 0;
  std::istringstream text{std::string(ephemeral)};
  if (!(text >> low >> high) || low < 1 || high > kHighest || low > high) {
    low = 32768;
    high = 60999;
  }
  if (low - kPreferredFirst >= kFewPorts) return range(kPreferredFirst, low - 1);
  if (kHighest - high >= kFewPorts) return range(high + 1, kHighest);
  if (low - kLowestFree >= kFewPorts) return range(kLowestFree, low - 1);
  return range(kPreferredFirst, kHighest);  // nearly everything is ephemeral: any may be taken
}

PortRange machine_app_port_range() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  return app_port_range(std::string(std::istreambuf_iterator<char>(file), {}));
}

PortAllocator::PortAllocator(PortRange range, Random& random) : range_(range) {
  const std::uint64_t size = static_cast<std::uint64_t>(range.last - range.first) + 1;
  next_ = static_cast<std::uint32_t>(random.next() % size);
}

Result<PortLease> PortAllocator::lease_fixed(std::uint16_t port) {
  BELLOWS_TRY(sys::Descriptor claimed, open_socket(AF_UNIX));
  if (claim(claimed, port)) return PortLease(port, std::move(claimed));
  return fail(ErrorKind::kConflict, "port " + std::to_string(port),
              "an app of another Bellows has it; want another port, or the end of that app");
}

Result<PortLease> PortAllocator::lease(const std::function<bool(std::uint16_t)>& is_kept) {
  const std::uint32_t size = static_cast<std::uint32_t>(range_.last - range_.first) + 1;
  for (std::uint32_t tried = 0; tried < size; ++tried) {
    const auto port = static_cast<std::uint16_t>(range_.first + next_);
    next_ = (next_ + 1) % size;
    if (is_kept && is_kept(port)) continue;
    BELLOWS_TRY(sys::Descriptor claimed, open_socket(AF_UNIX));
    BELLOWS_TRY(const sys::Descriptor trial, open_socket(AF_INET));
    if (claim(claimed, port) && can_be_bound(trial, port)) {
      return PortLease(port, std::move(claimed));
    }
  }
  return fail(ErrorKind::kUnavailable,
              "ports " + std::to_string(range_.first) + " to " + std::to_string(range_.last),
              "all are taken, an app needs one");
}

}  // namespace bellows::cluster
