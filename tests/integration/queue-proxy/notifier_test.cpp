#include "queue-proxy/service/notifier.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>

namespace bellows::queue_proxy {
namespace {

/// A parent process that may read late.
class NotifierTest : public testing::Test {
 protected:
  NotifierTest() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0);
    notifier_.emplace(ends_[1]);
  }
  ~NotifierTest() override { ::close(ends_[0]); }

  /// How many bytes the pipe took until it was full.
  std::size_t fill() {
    std::size_t filled = 0;
    while (::write(ends_[1], "x", 1) == 1) ++filled;
    return filled;
  }

  /// Waits up to 30 s for that many more bytes.
  std::string read(std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
      pollfd asked{.fd = ends_[0], .events = POLLIN, .revents = 0};
      if (::poll(&asked, 1, 30'000) != 1) return text;
      std::array<char, 4096> piece{};
      const ssize_t got =
          ::read(ends_[0], piece.data(), std::min(bytes - text.size(), piece.size()));
      if (got <= 0) return text;
      text.append(piece.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  std::array<int, 2> ends_{};
  std::optional<Notifier> notifier_;
};

TEST_F(NotifierTest, ALateReaderGetsEveryLine) {
  const std::size_t filled = fill();
  notifier_->unready("the app refused a connection");
  notifier_->ready(proxy::UpstreamVersion::kHttp1);
  EXPECT_EQ(read(filled).size(), filled);
  const std::string lines =
      "{\"event\":\"unready\",\"reason\":\"the app refused a "
      "connection\"}\n{\"event\":\"ready\"}\n";
  EXPECT_EQ(read(lines.size()), lines);
  notifier_->draining();
  EXPECT_EQ(read(21), "{\"event\":\"draining\"}\n");
}

TEST_F(NotifierTest, ItsDestructorClosesThePipe) {
  notifier_->ready(proxy::UpstreamVersion::kHttp1);
  notifier_.reset();
  EXPECT_EQ(read(100), "{\"event\":\"ready\"}\n");
}

TEST_F(NotifierTest, AnAppThatSpeaksHttp2IsToldAsSuch) {
  notifier_->ready(proxy::UpstreamVersion::kHttp2);
  notifier_.reset();
  EXPECT_EQ(read(100), "{\"event\":\"ready\",\"app_protocol\":\"h2c\"}\n");
}

TEST(NotifierCheck, RejectsDescriptorsThatAreNotWritable) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_TRUE(Notifier::check(ends[1]).has_value());
  EXPECT_TRUE(Notifier::check(-1).has_value());
  const auto reading = Notifier::check(ends[0]);
  EXPECT_FALSE(reading.has_value());
  ::close(ends[0]);
  ::close(ends[1]);
  const auto closed = Notifier::check(ends[1]);
  ASSERT_FALSE(closed.has_value());
  EXPECT_EQ(to_string(closed.error()),
            "notify-fd: " + std::to_string(ends[1]) +
                " is not open for writing; want a descriptor that was inherited, or -1");
}

TEST(NotifierWithoutDescriptor, LeavesOtherDescriptorsOpen) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  {
    Notifier notifier(-1);
    notifier.ready(proxy::UpstreamVersion::kHttp1);
  }
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), -1) << "nothing was written";
  EXPECT_EQ(errno, EAGAIN) << "the other end is still open";
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace bellows::queue_proxy
