#include "cluster/local/listeners.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "base/sys/file.hpp"
#include "cluster/local/usage.hpp"

namespace bellows::cluster {

namespace {

constexpr std::size_t kMaxListed = 4;
constexpr std::string_view kListen = "0A";  // TCP_LISTEN

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class Number>
std::optional<Number> number_of(std::string_view text, int base) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Four bytes at a time are written as one number of this machine.
std::string address_of(std::string_view hex) {
  std::array<std::uint32_t, 4> parts{};
  const std::size_t count = hex.size() / 8;
  if (hex.size() % 8 != 0 || (count != 1 && count != 4)) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = number_of<std::uint32_t>(hex.substr(i * 8, 8), 16);
    if (!part) return {};
    parts[i] = *part;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = count == 1 ? AF_INET : AF_INET6;
  if (::inet_ntop(family, parts.data(), text.data(), text.size()) == nullptr) return {};
  return count == 1 ? std::string(text.data()) : "[" + std::string(text.data()) + "]";
}

/// The sockets that a process has open.
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
    const auto inode = number_of<std::uint64_t>(
        std::string_view(target).substr(kPrefix.size(), target.size() - kPrefix.size() - 1), 10);
    if (inode) inodes.insert(*inode);
  }
}

}  // namespace

std::vector<Listener> parse_listeners(std::string_view table) {
  std::vector<Listener> listeners;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = std::min(table.find('\n', begin), table.size());
    const auto words = words_of(table.substr(begin, end - begin));
    begin = end + 1;
    constexpr std::size_t kAddress = 1;
    constexpr std::size_t kState = 3;
    constexpr std::size_t kInode = 9;
    if (words.size() <= kInode || words[kState] != kListen) continue;
    const std::size_t colon = words[kAddress].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string host = address_of(words[kAddress].substr(0, colon));
    const auto port = number_of<std::uint16_t>(words[kAddress].substr(colon + 1), 16);
    const auto inode = number_of<std::uint64_t>(words[kInode], 10);
    if (host.empty() || !port || !inode) continue;
    listeners.push_back({.inode = *inode, .address = host + ":" + std::to_string(*port)});
  }
  return listeners;
}

std::string listening_addresses(pid_t root) {
  std::set<std::uint64_t> inodes;
  for (const pid_t pid : process_tree(root)) add_sockets(pid, inodes);
  std::string text;
  std::size_t count = 0;
  for (const char* const table : {"tcp", "tcp6"}) {
    const auto read = sys::read_whole_file("/proc/" + std::to_string(root) + "/net/" + table);
    if (!read) continue;
    for (const Listener& listener : parse_listeners(*read)) {
      if (!inodes.contains(listener.inode) || count == kMaxListed) continue;
      text += (text.empty() ? "" : ", ") + listener.address;
      ++count;
    }
  }
  return text;
}

}  // namespace bellows::cluster
