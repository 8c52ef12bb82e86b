#include "cluster/local/port_allocator.hpp"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

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

bool can_be_bound(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  const bool is_free =
      ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return is_free;
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

PortLease::PortLease(PortLease&& other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)), port_(other.port_) {}

PortLease::~PortLease() {
  if (owner_ != nullptr) owner_->leased_.erase(port_);
}

PortAllocator::PortAllocator(PortRange range, Random& random) : range_(range) {
  const std::uint64_t size = static_cast<std::uint64_t>(range.last - range.first) + 1;
  next_ = static_cast<std::uint32_t>(random.next() % size);
}

Result<PortLease> PortAllocator::lease() {
  const std::uint32_t size = static_cast<std::uint32_t>(range_.last - range_.first) + 1;
  for (std::uint32_t tried = 0; tried < size; ++tried) {
    const auto port = static_cast<std::uint16_t>(range_.first + next_);
    next_ = (next_ + 1) % size;
    if (leased_.contains(port) || !can_be_bound(port)) continue;
    leased_.insert(port);
    return PortLease(*this, port);
  }
  return fail(ErrorKind::kUnavailable,
              "ports " + std::to_string(range_.first) + " to " + std::to_string(range_.last),
              "all are taken, an app needs one");
}

}  // namespace bellows::cluster
