#include "http/io/backlog.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/test_peer.hpp"

namespace bellows::http {
namespace {

using test::TestListener;
using test::TestPeer;

std::optional<std::size_t> room(BacklogReader& reader, std::uint16_t port) {
  const sockaddr_in address = test::loopback(port);
  return reader.room(reinterpret_cast<const sockaddr*>(&address));  // NOLINT: as sockets want it
}

TEST(BacklogReader, CountsWhatTheProgramHasNotAccepted) {
  BacklogReader reader;
  TestListener listener(test::loopback(0), 2);
  std::vector<TestPeer> peers;
  for (std::size_t left = 3; left > 0; --left) {
    EXPECT_EQ(room(reader, listener.port()), left);
    peers.push_back(TestPeer::connect_to(listener.port()));
  }
  EXPECT_EQ(room(reader, listener.port()), 0U);
  const TestPeer accepted = listener.accept();
  EXPECT_EQ(room(reader, listener.port()), 1U);
}

TEST(BacklogReader, KnowsAListenerOfIpv6) {
  BacklogReader reader;
  const TestListener listener(test::loopback6(0));
  const sockaddr_in6 address = test::loopback6(listener.port());
  EXPECT_EQ(reader.room(reinterpret_cast<const sockaddr*>(&address)), 129U);  // NOLINT: likewise
}

// An app that is asked for before it listens.
TEST(BacklogReader, WhereNobodyListensYetKnowsNothingYet) {
  BacklogReader reader;
  const TestListener other;
  const TestListener not_yet(test::loopback(0), TestListener::kNotYet);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(room(reader, not_yet.port()));
  EXPECT_TRUE(room(reader, other.port()));
}

}  // namespace
}  // namespace bellows::http
