#include "base/sys/tcp_listeners.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "base/read_number.hpp"
#include "base/text_parts.hpp"

namespace bellows::sys {
namespace {

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

/// Decodes an address. The table writes each four bytes as one number in the byte order of this
/// machine.
std::string host_of(std::string_view hex) {
  std::array<std::uint32_t, 4> parts{};
  const std::size_t count = hex.size() / 8;
  if (hex.size() % 8 != 0 || (count != 1 && count != 4)) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = read_number<std::uint32_t>(hex.substr(i * 8, 8), 16);
    if (!part) return {};
    parts[i] = *part;
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = count == 1 ? AF_INET : AF_INET6;
  if (::inet_ntop(family, parts.data(), text.data(), text.size()) == nullptr) return {};
  return count == 1 ? std::string(text.data()) : "[" + std::string(text.data()) + "]";
}

}  // namespace

std::vector<TcpListener> parse_tcp_listeners(std::string_view table) {
  std::vector<TcpListener> listeners;
  while (!table.empty()) {
    const auto words = words_of(next_part(table, '\n'));
    constexpr std::size_t kAddress = 1;
    constexpr std::size_t kState = 3;
    constexpr std::size_t kInode = 9;
    if (words.size() <= kInode || words[kState] != kListen) continue;
    const std::size_t colon = words[kAddress].find(':');
    if (colon == std::string_view::npos) continue;
    const std::string host = host_of(words[kAddress].substr(0, colon));
    const auto port = read_number<std::uint16_t>(words[kAddress].substr(colon + 1), 16);
    const auto inode = read_number<std::uint64_t>(words[kInode]);
    if (host.empty() || !port || !inode) continue;
    listeners.push_back({.inode = *inode, .host = host, .port = *port});
  }
  return listeners;
}

}  // namespace bellows::sys
