#include "cluster/local/listeners.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sys/descriptor.hpp"

namespace bellows::test {
namespace {

TEST(ListenersTest, FindsWhereThisProcessListens) {
  const sys::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const bound = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as bind() wants it
  ASSERT_EQ(::bind(listener.get(), bound, size), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  ASSERT_EQ(::getsockname(listener.get(), bound, &size), 0);
  EXPECT_THAT(cluster::listening_addresses(::getpid()),
              testing::HasSubstr("127.0.0.1:" + std::to_string(ntohs(address.sin_port))));
}

}  // namespace
}  // namespace bellows::test
