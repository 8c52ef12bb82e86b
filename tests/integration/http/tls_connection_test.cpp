// A connection that speaks TLS, as sessions see it: reads, writes, ends, faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>

#include "tests/integration/http/tls_port_world.hpp"

namespace bellows::http {
namespace {

using Kind = IoResult::Kind;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

struct Ends {
  Ends() : port(TlsPort::open(one_certificate(ca.sign_localhost()), wall_now()).value()) {}

  test::TestCa ca;
  std::unique_ptr<TlsPort> port;
  std::shared_ptr<TlsContext> client = client_tls(ca);
};

class TlsConnections : public testing::Test, public Ends {
 protected:
  TlsPortWorld world;
};

TEST_F(TlsConnections, TheHandshakeHappensWithinReadsAndBytesGoBothWays) {
  test::TlsPeer peer = world.connect(*port, *client);
  peer.say("hello");
  ASSERT_TRUE(world.until(peer, [&] { return world.received == "hello"; }));
  EXPECT_EQ(world.last.kind, Kind::kWouldBlock);
  EXPECT_FALSE(world.connection->is_readable());
  EXPECT_TRUE(world.connection->is_idle());
  EXPECT_EQ(world.counters.full, 1U);
  EXPECT_EQ(world.connection->tls_peer()->protocol, "http/1.1");
  EXPECT_EQ(world.connection->try_write("hi").bytes, 2U);
  EXPECT_TRUE(world.until(peer, [&] { return peer.received() == "hi"; }));
}

TEST_F(TlsConnections, AMessageThatWaitsIsSeenAlsoByALook) {
  test::TlsPeer peer = world.connect(*port, *client);
  ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
  peer.say("next");
  peer.listen();
  EXPECT_FALSE(world.connection->is_idle());
  EXPECT_TRUE(world.connection->is_readable()) << "the look has taken it out of the socket";
  world.read();
  EXPECT_EQ(world.received, "next");
}

TEST_F(TlsConnections, BytesThatArriveBehindAWaitingRecordAreRead) {
  test::TlsPeer peer = world.connect(*port, *client);
  ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
  const auto say = [&](const char* text) {
    peer.say(text);
    peer.listen();
    while (world.io.poll() != 0) {
    }
  };
  const auto hear = [&] {
    char bytes[100];
    const IoResult got = world.connection->try_read(bytes, sizeof bytes);
    return std::string(bytes, got.bytes);
  };
  say("one");
  say("two");
  EXPECT_EQ(hear(), "one") << "two is in the session now";
  say("three");
  EXPECT_EQ(hear(), "two");
  EXPECT_EQ(hear(), "three") << "its event came before two was read";
}

TEST_F(TlsConnections, ASlowReaderGetsEveryByteOnceInOrder) {
  test::TlsPeer peer = world.connect(*port, *client);
  ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
  std::string all;
  for (int i = 0; i < 200'000; ++i) all += std::to_string(i) + ",";
  const std::string head = "head of the message;";
  std::string left_head = head;
  std::string_view left = all;
  int waits = 0;
  ASSERT_TRUE(world.until([&] {
    // As a relay writes: a head and a body, or the body alone.
    const iovec parts[] = {{left_head.data(), left_head.size()},
                           {const_cast<char*>(left.data()), left.size()}};
    const bool has_head = !left_head.empty();
    const IoResult sent = has_head ? world.connection->try_write(parts, 2)
                                   : world.connection->try_write(&parts[1], left.empty() ? 0 : 1);
    if (sent.kind == Kind::kWouldBlock) ++waits;
    EXPECT_NE(sent.kind, Kind::kFailed);
    const std::size_t of_head = std::min(sent.bytes, left_head.size());
    left_head.erase(0, of_head);
    left.remove_prefix(sent.bytes - of_head);
    peer.listen(10'000);
    return left.empty() && peer.received().size() == head.size() + all.size();
  }));
  EXPECT_GT(waits, 3);
  EXPECT_TRUE(peer.received() == head + all);
}

TEST_F(TlsConnections, AWriterThatChangesWhatIsEncryptedAlreadyFails) {
  test::TlsPeer peer = world.connect(*port, *client);
  ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
  const std::string much(20'000, 'a');
  IoResult sent;
  do {
    sent = world.connection->try_write(much);
  } while (sent.kind == Kind::kBytes && sent.bytes == much.size());
  ASSERT_NE(sent.kind, Kind::kFailed);
  const std::string other(20'000, 'b');
  ASSERT_TRUE(world.until([&] {
    peer.listen();
    sent = world.connection->try_write(other);
    return sent.kind != Kind::kWouldBlock;
  }));
  EXPECT_EQ(sent.kind, Kind::kFailed);
  EXPECT_EQ(sent.error, EPROTO);
  EXPECT_EQ(peer.received().find('b'), std::string::npos);
}

TEST_F(TlsConnections, AHandshakeThatIsNotCompleteInTimeIsAFailedRead) {
  const sys::Descriptor idle(world.accept(*port));
  world.pass(9s);
  world.read();
  EXPECT_EQ(world.last.kind, Kind::kWouldBlock);
  EXPECT_TRUE(world.connection->is_idle()) << "its place may go to a new connection";
  world.pass(2s);
  EXPECT_TRUE(world.connection->is_readable());
  world.read();
  EXPECT_EQ(world.last.kind, Kind::kFailed);
  EXPECT_EQ(world.last.error, ETIMEDOUT);
  EXPECT_EQ(world.counters.late, 1U);
}

/// Both ends of a connection by TCP.
std::array<sys::Descriptor, 2> tcp_ends() {
  const sys::Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = test::loopback(0);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the calls want it
  EXPECT_EQ(::bind(listener.get(), any, size), 0);
  EXPECT_EQ(::listen(listener.get(), 1), 0);
  EXPECT_EQ(::getsockname(listener.get(), any, &size), 0);
  sys::Descriptor theirs(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(theirs.get(), any, size), 0);
  sys::Descriptor ours(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  return {std::move(ours), std::move(theirs)};
}

TEST_F(TlsConnections, AHelloThatComesByteByByteIsReadWhenItIsComplete) {
  auto [ours, theirs] = tcp_ends();
  const int slow = theirs.get();
  world.adopt(*port, ours.release());
  const auto say = [&](std::string_view bytes) {
    EXPECT_EQ(::send(slow, bytes.data(), bytes.size(), 0), std::ssize(bytes));
    while (world.io.poll() != 0) {
    }
  };
  constexpr int kLength = 32;
  say({"\x16\x03\x01\x00\x20", 5});
  world.read();
  for (int i = 1; i < kLength; ++i) {
    say("x");
    EXPECT_FALSE(world.connection->is_readable()) << "byte " << i;
  }
  say("x");
  EXPECT_TRUE(world.until([&] { return world.connection->is_readable(); }));
}

TEST_F(TlsConnections, ACompleteHandshakeHasNoDeadline) {
  test::TlsPeer peer = world.connect(*port, *client);
  ASSERT_TRUE(world.until(peer, [&] { return world.counters.full == 1; }));
  world.pass(1h);
  world.read();
  EXPECT_EQ(world.last.kind, Kind::kWouldBlock);
}

TEST_F(TlsConnections, PlainHttpGetsA400ThatSaysWhatToDo) {
  for (const char* const request : {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PATCH / HTTP/1.1\r\n\r\n",
                                    "OPTIONS * HTTP/1.1\r\n\r\n"}) {
    SCOPED_TRACE(request);
    const std::uint64_t before = world.counters.plain_http;
    test::TestPeer peer(world.accept(*port));
    ASSERT_TRUE(peer.say(request));
    ASSERT_TRUE(world.until([&] {
      world.read();
      peer.listen();
      return peer.has_ended();
    }));
    EXPECT_THAT(peer.received(), HasSubstr("HTTP/1.1 400 "));
    EXPECT_THAT(peer.received(), HasSubstr("use https"));
    EXPECT_FALSE(peer.was_reset());
    const std::size_t body = peer.received().find("\r\n\r\n") + 4;
    EXPECT_THAT(peer.received(),
                HasSubstr("Content-Length: " + std::to_string(peer.received().size() - body)));
    EXPECT_EQ(world.counters.plain_http, before + 1);
    EXPECT_EQ(world.counters.failed, 0U);
    peer.close();
    EXPECT_TRUE(world.until([&] {
      world.read();
      return world.last.kind == Kind::kEnd || world.last.kind == Kind::kFailed;
    }));
  }
}

TEST_F(TlsConnections, NeitherTlsNorHttpIsRefusedWithAnAlert) {
  test::TestPeer peer(world.accept(*port));
  // A record of TLS with a message that is none of a handshake.
  ASSERT_TRUE(peer.say(std::string("\x16\x03\x01\x00\x05", 5) + "ccccc"));
  ASSERT_TRUE(world.until([&] {
    world.read();
    peer.listen();
    return peer.has_ended();
  }));
  EXPECT_EQ(peer.received().substr(0, 1), "\x15") << "an alert (RFC 8446 5.1)";
  EXPECT_EQ(world.counters.failed, 1U);
}

TEST_F(TlsConnections, OnlyCloseNotifyIsAnEnd) {
  for (const bool says_end : {true, false}) {
    SCOPED_TRACE(says_end);
    world.counters.full = 0;
    test::TlsPeer peer = world.connect(*port, *client);
    ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
    says_end ? peer.finish() : peer.close();
    ASSERT_TRUE(world.until([&] {
      world.read();
      return world.last.kind != Kind::kWouldBlock;
    }));
    EXPECT_EQ(world.last.kind, says_end ? Kind::kEnd : Kind::kFailed);
    EXPECT_TRUE(world.connection->peer_has_closed());
    EXPECT_FALSE(world.connection->is_idle());
  }
}

TEST_F(TlsConnections, ACloseSaysCloseNotifyAndAnAbortDoesNot) {
  for (const bool aborts : {false, true}) {
    SCOPED_TRACE(aborts);
    world.counters.full = 0;
    test::TlsPeer peer = world.connect(*port, *client);
    ASSERT_TRUE(world.until(peer, [&] { return peer.is_open() && world.counters.full == 1; }));
    aborts ? world.connection->abort() : world.connection->close();
    EXPECT_FALSE(world.connection->is_open());
    ASSERT_TRUE(world.until([&] {
      peer.listen();
      return peer.has_ended();
    }));
    EXPECT_EQ(peer.was_cut(), aborts);
  }
}

/// Fails the n-th call of a kind with ECONNRESET.
class FailingSockets final : public SocketApi {
 public:
  int fail_receive = -1;
  int fail_send = -1;
  int receives = 0;
  int sends = 0;
  ssize_t receive(int fd, void* data, std::size_t size, int flags) override {
    if (receives++ == fail_receive) return fail();
    return SocketApi::receive(fd, data, size, flags);
  }
  ssize_t send(int fd, const iovec* parts, std::size_t count) override {
    if (sends++ == fail_send) return fail();
    return SocketApi::send(fd, parts, count);
  }

 private:
  static int fail() {
    errno = ECONNRESET;
    return -1;
  }
};

/// A question of the peer, a long answer of ours, and a close. What the peer has heard.
std::string play(Ends& ends, FailingSockets& sockets, const std::string& answer) {
  TlsPortWorld world(sockets);
  test::TlsPeer peer = world.connect(*ends.port, *ends.client);
  peer.say("question");
  std::string_view left = answer;
  EXPECT_TRUE(world.until([&] {
    peer.listen();
    world.read();
    if (world.last.kind == Kind::kFailed || world.last.kind == Kind::kEnd) return true;
    if (world.received != "question") return false;
    if (!left.empty()) {
      const IoResult sent = world.connection->try_write(left);
      if (sent.kind == Kind::kFailed) return true;
      left.remove_prefix(sent.bytes);
    }
    return left.empty();
  }));
  left.empty() ? world.connection->close() : world.connection->abort();
  EXPECT_TRUE(world.until([&] {
    peer.listen();
    return peer.has_ended();
  }));
  if (!peer.was_cut()) {
    EXPECT_TRUE(peer.received() == answer) << "what ends well is whole";
  }
  EXPECT_TRUE(answer.starts_with(peer.received()));
  return peer.received();
}

TEST_F(TlsConnections, EachCallFailsOnceAndNothingLooksWholeThatIsNot) {
  const std::string answer(300'000, 'x');
  FailingSockets counting;
  ASSERT_TRUE(play(*this, counting, answer) == answer);
  ASSERT_GT(counting.receives, 2);
  ASSERT_GT(counting.sends, 10);
  for (int n = 0; n < counting.receives; ++n) {
    SCOPED_TRACE("receive " + std::to_string(n));
    FailingSockets sockets;
    sockets.fail_receive = n;
    play(*this, sockets, answer);
  }
  for (int n = 0; n < counting.sends; ++n) {
    SCOPED_TRACE("send " + std::to_string(n));
    FailingSockets sockets;
    sockets.fail_send = n;
    play(*this, sockets, answer);
  }
}

}  // namespace
}  // namespace bellows::http
