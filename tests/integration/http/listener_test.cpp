// Sockets of the data path as the system sees them.
#include "http/io/listener.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/manual_clock.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/test_peer.hpp"

namespace bellows::http {
namespace {

int option(int fd, int level, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(::getsockopt(fd, level, name, &value, &size), 0);
  return value;
}

/// Listens, and keeps the connections.
class ListenerTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Listener>> listen(const Endpoint& endpoint) {
    return Listener::listen(reactor_, endpoint,
                            [this](sys::Descriptor socket, const SocketAddress&) {
                              accepted_.push_back(std::move(socket));
                            });
  }
  /// Runs the listener until so many clients have connected; false after a minute.
  bool accepts(std::size_t count) {
    const TimePoint give_up = sys::system_clock().now() + std::chrono::minutes(1);
    while (accepted_.size() < count) {
      if (sys::system_clock().now() > give_up) return false;
      if (io_.poll() == 0) io_.run_one_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  net::io_context io_;
  test::ManualClock clock_;
  Reactor reactor_{io_, clock_};
  std::vector<sys::Descriptor> accepted_;
};

/// Detects after two minutes that its peer is gone without a FIN.
void expect_kept_alive(int fd) {
  EXPECT_EQ(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 60);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 10);
  EXPECT_EQ(option(fd, IPPROTO_TCP, TCP_KEEPCNT), 6);
}

TEST_F(ListenerTest, AClientOnAnotherMachineHasKeepAliveProbes) {
  const auto listener = listen({.host = "0.0.0.0", .port = 0, .unix_path = {}}).value();
  const test::TestPeer caller = test::TestPeer::connect_to(listener->endpoint().port);
  ASSERT_TRUE(accepts(1));
  expect_kept_alive(accepted_[0].get());
  EXPECT_EQ(option(accepted_[0].get(), IPPROTO_TCP, TCP_NODELAY), 1);
}

TEST_F(ListenerTest, ListensOnAHostNameAndReportsAnUnknownOne) {
  // Not a literal address, but every system's resolver knows it: 127.0.0.1.
  const Endpoint own{.host = "127.1", .port = 0, .unix_path = {}};
  ASSERT_FALSE(literal_address(own));
  const auto listener = listen(own);
  ASSERT_TRUE(listener.has_value()) << to_string(listener.error());
  EXPECT_NE((*listener)->endpoint().port, 0);
  const test::TestPeer caller = test::TestPeer::connect_to((*listener)->endpoint().port);
  EXPECT_TRUE(accepts(1));

  const auto unknown = listen({.host = "no-such-host.invalid", .port = 80, .unix_path = {}});
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().kind(), ErrorKind::kNotFound);
  EXPECT_EQ(unknown.error().culprit(), "no-such-host.invalid:80");
}

/// A socket that another program has too, as a service manager keeps it.
class SharedSocketTest : public ListenerTest {
 protected:
  std::unique_ptr<Listener> listener() {
    const int copy = ::fcntl(kept_.socket.get(), F_DUPFD_CLOEXEC, 0);
    auto taken = take_over(sys::Descriptor(copy), "$LISTEN_FDS").value();
    return Listener::listen(reactor_, std::move(taken),
                            [this](sys::Descriptor socket, const SocketAddress&) {
                              accepted_.push_back(std::move(socket));
                            })
        .value();
  }
  /// Lets the listener see what has happened.
  void run() {
    for (int i = 0; i < 10; ++i) {
      io_.restart();
      io_.poll();
    }
  }

  const BoundSocket kept_ =
      bind_and_listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}, 0600).value();
};

TEST_F(SharedSocketTest, IsAcceptedFromAndHasItsAddress) {
  const auto first = listener();
  EXPECT_EQ(first->endpoint(), kept_.endpoint);
  const test::TestPeer caller = test::TestPeer::connect_to(kept_.endpoint.port);
  EXPECT_TRUE(accepts(1));
}

TEST_F(SharedSocketTest, WhatComesAfterItWasLeftIsForTheNextOne) {
  auto first = listener();
  first->leave_to_others();
  const test::TestPeer caller = test::TestPeer::connect_to(kept_.endpoint.port);
  first->accept_pending();
  run();
  EXPECT_TRUE(accepted_.empty());
  first.reset();
  const auto second = listener();
  EXPECT_TRUE(accepts(1));
}

TEST_F(SharedSocketTest, HasNoEventsForAListenerThatHasGone) {
  listener().reset();
  const test::TestPeer caller = test::TestPeer::connect_to(kept_.endpoint.port);
  run();  // would call the listener
  EXPECT_TRUE(accepted_.empty());
}

TEST_F(SharedSocketTest, OfItsOwnAListenerAcceptsToTheEnd) {
  const auto own = listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  own->leave_to_others();
  const test::TestPeer caller = test::TestPeer::connect_to(own->endpoint().port);
  EXPECT_TRUE(accepts(1));
}

TEST(ASocketToTakeOver, Listens) {
  sys::Descriptor idle(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int number = idle.get();
  const auto taken = take_over(std::move(idle), "$LISTEN_FDS");
  ASSERT_FALSE(taken);
  EXPECT_EQ(to_string(taken.error()), "$LISTEN_FDS: descriptor " + std::to_string(number) +
                                          ": want a stream socket that listens");
}

class UnixListenerTest : public ListenerTest {
 protected:
  Endpoint at(const std::string& name) {
    return {.host = {}, .port = 0, .unix_path = folder_.path(name)};
  }
  static bool exists(const Endpoint& endpoint) {
    struct stat file {};
    return ::stat(endpoint.unix_path.c_str(), &file) == 0;
  }
  /// What a killed process leaves behind: bound, closed, never unlinked.
  static void leave_behind(const Endpoint& endpoint) {
    const auto address = *literal_address(endpoint);
    const sys::Descriptor killed = open_socket(address, "killed").value();
    EXPECT_EQ(::bind(killed.get(), address.get(), address.size), 0);
  }

  test::TemporaryFolder folder_;
};

TEST_F(UnixListenerTest, ItsFileIsOpenToOwnerAndGroupWhateverTheUmask) {
  const Endpoint endpoint = at("calls.sock");
  const mode_t before = ::umask(0);
  const auto listener = listen(endpoint);
  ::umask(before);
  ASSERT_TRUE(listener.has_value());
  struct stat file {};
  ASSERT_EQ(::stat(endpoint.unix_path.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0660U);
}

TEST_F(UnixListenerTest, ReplacesTheFileThatAKilledProcessLeft) {
  const Endpoint endpoint = at("calls.sock");
  leave_behind(endpoint);
  {
    const auto listener = listen(endpoint);
    ASSERT_TRUE(listener.has_value()) << to_string(listener.error());
  }
  EXPECT_FALSE(exists(endpoint));
}

TEST_F(UnixListenerTest, DoesNotReplaceALiveSocketOrAnotherFile) {
  const Endpoint endpoint = at("calls.sock");
  const auto first = listen(endpoint).value();
  const auto second = listen(endpoint);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
  EXPECT_EQ(second.error().culprit(), to_string(endpoint));

  const Endpoint notes = at("notes.txt");
  std::ofstream(notes.unix_path) << "keep me";
  const auto third = listen(notes);
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().kind(), ErrorKind::kConflict);
  EXPECT_TRUE(exists(notes));
}

TEST_F(UnixListenerTest, DoesNotRemoveTheFileOfASuccessor) {
  const Endpoint endpoint = at("calls.sock");
  {
    const auto listener = listen(endpoint).value();
    ::rename(endpoint.unix_path.c_str(), at("old.sock").unix_path.c_str());
    leave_behind(endpoint);
  }
  EXPECT_TRUE(exists(endpoint));
}

TEST(SocketTest, AnUpstreamOnAnotherMachineHasKeepAliveProbes) {
  for (const char* host : {"192.0.2.1", "2001:db8::1"}) {
    const auto address = literal_address({.host = host, .port = 80, .unix_path = {}});
    const sys::Descriptor socket = open_socket(*address, host).value();
    expect_kept_alive(socket.get());
  }
}

TEST(SocketTest, AnUpstreamOnThisMachineHasNoKeepAliveProbes) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "::1"}) {
    const auto address = literal_address({.host = host, .port = 80, .unix_path = {}});
    const sys::Descriptor socket = open_socket(*address, host).value();
    EXPECT_EQ(option(socket.get(), SOL_SOCKET, SO_KEEPALIVE), 0) << host;
  }
}

}  // namespace
}  // namespace bellows::http
