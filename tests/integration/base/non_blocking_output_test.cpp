#include "base/sys/non_blocking_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace bellows::sys {
namespace {

/// Closes its end of a pipe or pair.
class Closing {
 public:
  explicit Closing(int fd) : fd_(fd) {}
  ~Closing() { ::close(fd_); }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

/// Reads what is there.
std::string drain(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::string read;
  std::array<char, 4096> bytes{};
  for (ssize_t got = 0; (got = ::read(fd, bytes.data(), bytes.size())) > 0;) {
    read.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return read;
}

const std::string kLots(std::size_t{1024} * 1024, 'x');

TEST(NonBlockingOutput, WritesWhatAPipeHoldsAndContinuesWhenItIsRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Closing reader(ends[0]);
  const Closing writer(ends[1]);
  NonBlockingOutput output(writer.get());
  const std::size_t first = output.try_write(kLots);
  EXPECT_GT(first, 0U);
  EXPECT_LT(first, kLots.size());
  EXPECT_EQ(output.try_write("more"), 0U);
  EXPECT_EQ(drain(reader.get()).size(), first);
  EXPECT_EQ(output.try_write("more"), 4U);
  EXPECT_EQ(drain(reader.get()), "more");
}

TEST(NonBlockingOutput, LeavesTheSharedDescriptorBlockingForOthers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const Closing reader(ends[0]);
  const Closing writer(ends[1]);
  NonBlockingOutput output(writer.get());
  EXPECT_EQ(output.try_write("a"), 1U);
  EXPECT_EQ(::fcntl(writer.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST(NonBlockingOutput, WritesWhatASocketHolds) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Closing reader(ends[0]);
  const Closing writer(ends[1]);
  NonBlockingOutput output(writer.get());
  const std::size_t first = output.try_write(kLots);
  EXPECT_LT(first, kLots.size());
  EXPECT_EQ(drain(reader.get()).size(), first);
}

TEST(NonBlockingOutput, DistinguishesAClosedReaderFromASlowOne) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  const Closing writer(ends[1]);
  NonBlockingOutput output(writer.get());
  const Written full = output.write(kLots);
  EXPECT_LT(full.bytes, kLots.size());
  EXPECT_EQ(full.error, 0);
  ::close(ends[0]);
  const Written gone = output.write("gone");
  EXPECT_EQ(gone.bytes, 0U);
  EXPECT_TRUE(gone.error == EPIPE || gone.error == ECONNRESET) << gone.error;
  EXPECT_TRUE(is_permanent(gone.error));
  EXPECT_EQ(output.try_write("gone"), 4U) << "for whom it is worth nothing it is done with";
}

TEST(NonBlockingOutput, ReportsAFullDiskAsATemporaryError) {
  const Closing full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  NonBlockingOutput output(full.get());
  const Written written = output.write("lost");
  EXPECT_EQ(written.bytes, 0U);
  EXPECT_EQ(written.error, ENOSPC);
  EXPECT_FALSE(is_permanent(written.error));
}

TEST(NonBlockingOutput, ReportsADescriptorThatIsNotOpenAsAPermanentError) {
  NonBlockingOutput output(-1);
  EXPECT_EQ(output.write("lost").error, EBADF);
  EXPECT_TRUE(is_permanent(EBADF));
}

}  // namespace
}  // namespace bellows::sys
