#include "cluster/local/listeners.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/printable_text.hpp"
#include "base/read_number.hpp"
#include "base/sys/file.hpp"
#include "base/sys/tcp_listeners.hpp"
#include "cluster/local/usage.hpp"

namespace bellows::cluster {

namespace {

constexpr std::size_t kMaxListed = 4;

/// Adds the sockets that a process has open.
void add_sockets(pid_t pid, std::set<std::uint64_t>& inodes) {
  namespace fs = std::filesystem;
  constexpr std::string_view kPrefix = "socket:[";
  std::error_code error;
  const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const std::string target = fs::read_symlink(entry->path(), gone).string();
    if (gone || !target.starts_with(kPrefix) || !target.ends_with(']')) continue;
    const auto inode = read_number<std::uint64_t>(
        std::string_view(target).substr(kPrefix.size(), target.size() - kPrefix.size() - 1));
    if (inode) inodes.insert(*inode);
  }
}

/// Returns the inode of the socket that listens at the port; nullopt: there is none.
std::optional<std::uint64_t> socket_at(std::uint16_t port) {
  for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto read = sys::read_whole_file(table);
    if (!read) continue;
    for (const sys::TcpListener& listener : sys::parse_tcp_listeners(*read)) {
      const bool is_reached =
          listener.host == "127.0.0.1" || listener.host == "0.0.0.0" || listener.host == "[::]";
      if (listener.port == port && is_reached) return listener.inode;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> port_owner(std::uint16_t port) {
  namespace fs = std::filesystem;
  const auto inode = socket_at(port);
  if (!inode) return std::nullopt;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string pid = entry->path().filename().string();
    const auto number = read_number<pid_t>(pid);
    if (!number) continue;
    std::set<std::uint64_t> inodes;
    add_sockets(*number, inodes);
    if (!inodes.contains(*inode)) continue;
    auto name = sys::read_whole_file("/proc/" + pid + "/comm");
    if (name && name->ends_with('\n')) name->pop_back();
    return (name ? printable(*name) : "a process") + " (pid " + pid + ")";
  }
  return "a process of another user";
}

std::string listening_addresses(pid_t root) {
  std::set<std::uint64_t> inodes;
  for (const pid_t pid : process_tree(root)) add_sockets(pid, inodes);
  std::string text;
  std::size_t count = 0;
  for (const char* const table : {"tcp", "tcp6"}) {
    const auto read = sys::read_whole_file("/proc/" + std::to_string(root) + "/net/" + table);
    if (!read) continue;
    for (const sys::TcpListener& listener : sys::parse_tcp_listeners(*read)) {
      if (!inodes.contains(listener.inode) || count == kMaxListed) continue;
      text += (text.empty() ? "" : ", ") + listener.host + ":" + std::to_string(listener.port);
      ++count;
    }
  }
  return text;
}

}  // namespace bellows::cluster
