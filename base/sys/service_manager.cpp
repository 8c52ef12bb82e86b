#include "base/sys/service_manager.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/read_number.hpp"
#include "base/text_parts.hpp"

namespace bellows::sys {

namespace {

constexpr int kFirstPassed = 3;     // SD_LISTEN_FDS_START
constexpr int kMostPassed = 1'000;  // more is no count

/// Returns the value of an environment variable and removes it; empty if it is not set.
std::string take_variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before threads
  std::string text = value == nullptr ? "" : value;
  ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe): before threads
  return text;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) names.emplace_back(next_part(text, ':'));
  return names;
}

long long microseconds(Duration span) {
  return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
}

}  // namespace

Result<PassedNumbers> read_passed_numbers(std::string_view listen_pid, std::string_view listen_fds,
                                          std::string_view listen_names, long self) {
  PassedNumbers numbers;
  if (listen_pid.empty() || listen_fds.empty()) return numbers;
  const auto pid = read_number<long>(listen_pid);
  if (!pid || *pid != self) return numbers;  // for another process, whose child this is
  const auto count = read_number<long>(listen_fds);
  if (!count || *count < 0 || *count > kMostPassed) {
    return fail(ErrorKind::kInvalidSetting, "$LISTEN_FDS",
                "\"" + std::string(listen_fds) + "\": want the number of sockets passed");
  }
  numbers.count = static_cast<int>(*count);
  numbers.names = split_names(listen_names);
  numbers.names.resize(static_cast<std::size_t>(numbers.count));
  return numbers;
}

Result<std::vector<PassedSocket>> take_passed_sockets() {
  const std::string pid = take_variable("LISTEN_PID");
  const std::string fds = take_variable("LISTEN_FDS");
  const std::string names = take_variable("LISTEN_FDNAMES");
  BELLOWS_TRY(PassedNumbers numbers, read_passed_numbers(pid, fds, names, ::getpid()));
  std::vector<PassedSocket> sockets;
  for (int i = 0; i < numbers.count; ++i) {
    const int fd = kFirstPassed + i;
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) {
      return fail(system_error("$LISTEN_FDS", "descriptor " + std::to_string(fd), errno));
    }
    sockets.push_back({std::move(numbers.names[static_cast<std::size_t>(i)]), Descriptor(fd)});
  }
  return sockets;
}

ServiceManager ServiceManager::from_environment() {
  return ServiceManager(take_variable("NOTIFY_SOCKET"));
}

void ServiceManager::ready() const {
  send("READY=1");
}

void ServiceManager::reloading(TimePoint now) const {
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds(now.time_since_epoch())));
}

void ServiceManager::stopping(Duration at_most) const {
  send("STOPPING=1\nEXTEND_TIMEOUT_USEC=" + std::to_string(microseconds(at_most)));
}

void ServiceManager::send(const std::string& message) const {
  sockaddr_un address{};
  if (path_.empty() || path_.size() >= sizeof address.sun_path) return;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (path_.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (socket.get() < 0) return;
  ::sendto(socket.get(), message.data(), message.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address),  // NOLINT: as the socket calls want it
           size);
}

}  // namespace bellows::sys
