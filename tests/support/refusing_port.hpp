// A port of 127.0.0.1 at which nobody listens, and which nobody else gets.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "base/sys/descriptor.hpp"

namespace bellows::test {

/// Takes over the port of a listener that has just been closed. Without it the system may give the
/// port to another process, whose connections would be answered.
class RefusingPort {
 public:
  explicit RefusingPort(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    EXPECT_EQ(::setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // NOLINTNEXTLINE: as bind() wants it
    const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_.get(), generic, sizeof address), 0);
  }

 private:
  sys::Descriptor socket_;
};

}  // namespace bellows::test
