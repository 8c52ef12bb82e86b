#include "http/io/backlog.hpp"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace bellows::http {

namespace {

template <class T>
T as(const sockaddr* address) {
  T value{};
  std::memcpy(&value, address, sizeof value);
  return value;
}

/// Returns the id of the listening socket at the address, as a lookup of a connection to it finds
/// it. No connection comes from a privileged port, so the lookup returns the listener. Another port
/// may return another listener where several share the address (SO_REUSEPORT).
inet_diag_sockid listener_at(const sockaddr* address, std::uint32_t asked) {
  constexpr std::uint32_t kPrivilegedPorts = 1023;
  inet_diag_sockid id{};
  id.idiag_dport = htons(static_cast<std::uint16_t>(1 + asked % kPrivilegedPorts));
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (address->sa_family == AF_INET) {
    const auto v4 = as<sockaddr_in>(address);
    id.idiag_sport = v4.sin_port;
    std::memcpy(id.idiag_src, &v4.sin_addr, sizeof v4.sin_addr);
  } else {
    const auto v6 = as<sockaddr_in6>(address);
    id.idiag_sport = v6.sin6_port;
    std::memcpy(id.idiag_src, &v6.sin6_addr, sizeof v6.sin6_addr);
  }
  std::memcpy(id.idiag_dst, id.idiag_src, sizeof id.idiag_dst);
  return id;
}

}  // namespace

bool BacklogReader::ask(const sockaddr* address) {
  if (!socket_.is_open()) {
    socket_ = sys::Descriptor(
        ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  }
  struct Question {
    nlmsghdr head;
    inet_diag_req_v2 body;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.head.nlmsg_seq = ++asked_;
  question.body.sdiag_family = static_cast<std::uint8_t>(address->sa_family);
  question.body.sdiag_protocol = IPPROTO_TCP;
  question.body.idiag_states = 1U << TCP_LISTEN;
  question.body.id = listener_at(address, asked_);
  const ssize_t sent = ::send(socket_.get(), &question, sizeof question, 0);
  return sent == static_cast<ssize_t>(sizeof question);
}

/// Reads the answer, which is available as soon as the query is sent.
std::optional<BacklogReader::Queue> BacklogReader::read_answer() {
  struct Answer {
    nlmsghdr head;
    inet_diag_msg body;
    std::array<char, 512> attributes;
  };
  for (;;) {
    Answer answer{};
    const ssize_t got = ::recv(socket_.get(), &answer, sizeof answer, 0);
    if (got < static_cast<ssize_t>(sizeof answer.head)) return std::nullopt;
    if (answer.head.nlmsg_seq != asked_) continue;
    const bool is_listener =
        answer.head.nlmsg_type == SOCK_DIAG_BY_FAMILY && answer.body.idiag_state == TCP_LISTEN;
    if (!is_listener) return std::nullopt;
    return Queue{.length = answer.body.idiag_rqueue, .limit = answer.body.idiag_wqueue};
  }
}

std::optional<BacklogReader::Queue> BacklogReader::queue_of(const sockaddr* address) {
  return ask(address) ? read_answer() : std::nullopt;
}

bool BacklogReader::finds_own_listener() {
  const sys::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);  // NOLINT: as the calls want it
  return ::bind(listener.get(), address, size) == 0 && ::listen(listener.get(), 0) == 0 &&
         ::getsockname(listener.get(), address, &size) == 0 && queue_of(address).has_value();
}

std::optional<std::size_t> BacklogReader::room(const sockaddr* address) {
  if (!is_answered_) is_answered_ = finds_own_listener();
  if (!*is_answered_) return std::nullopt;
  const auto queue = queue_of(address);
  if (!queue) return std::nullopt;
  // Linux accepts one more connection than the program requested.
  const std::size_t most = std::size_t{queue->limit} + 1;
  return most - std::min<std::size_t>(queue->length, most);
}

}  // namespace bellows::http
