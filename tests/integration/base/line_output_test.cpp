#include "base/sys/line_output.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace bellows::sys {
namespace {

std::string dropped_text(std::uint64_t lines) {
  return "(" + std::to_string(lines) + " dropped)\n";
}

/// An output into a pipe, and its reader.
class LineOutputTest : public testing::Test {
 protected:
  LineOutputTest() {
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    output_.emplace(ends_[1], dropped_text);
  }
  ~LineOutputTest() override {
    close_reader();
    output_.reset();
    ::close(ends_[1]);
  }

  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }

  /// Numbered lines of 1 KiB.
  void write_lines(int count) {
    for (int i = 0; i < count; ++i) output_->write(line(written_++));
  }
  static std::string line(int number) {
    std::string text = std::to_string(number);
    text.resize(1023, '.');
    return text + "\n";
  }

  /// The next line, waiting for the writer up to 30 s.
  std::string read_line() {
    while (read_.find('\n') == std::string::npos) {
      pollfd asked{.fd = ends_[0], .events = POLLIN, .revents = 0};
      if (::poll(&asked, 1, 30'000) != 1) return "nothing more came";
      std::array<char, 65536> bytes{};
      const ssize_t got = ::read(ends_[0], bytes.data(), bytes.size());
      if (got <= 0) return "the end";
      read_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    std::string found = read_.substr(0, read_.find('\n') + 1);
    read_.erase(0, found.size());
    return found;
  }

  std::array<int, 2> ends_{};
  std::optional<LineOutput> output_;
  std::string read_;
  int written_ = 0;
};

TEST_F(LineOutputTest, AReaderThatKeepsUpGetsEveryLineAtOnce) {
  output_->write("one\n");
  output_->write("two\n");
  EXPECT_EQ(read_line(), "one\n");
  EXPECT_EQ(read_line(), "two\n");
}

TEST_F(LineOutputTest, TheRestOfAFullPipeIsWrittenInOrder) {
  write_lines(200);  // a pipe holds 64
  for (int i = 0; i < 200; ++i) ASSERT_EQ(read_line(), line(i));
}

TEST_F(LineOutputTest, BeyondTheBufferWholeLinesAreDroppedAndReplacedByTheirNumber) {
  write_lines(1000);  // 64 in the pipe, 256 kept
  int next = 0;
  std::string read = read_line();
  while (read == line(next)) {
    ++next;
    read = read_line();
  }
  EXPECT_GE(next, 64 + 256);
  EXPECT_LT(next, 1000);
  EXPECT_EQ(read, dropped_text(static_cast<std::uint64_t>(1000 - next)));
  output_->write("after it\n");
  EXPECT_EQ(read_line(), "after it\n");
}

TEST_F(LineOutputTest, AReaderThatStallsRepeatedlyGetsEverythingThatWasBuffered) {
  for (int round = 0; round < 20; ++round) {
    const int first = written_;
    write_lines(150);
    for (int i = first; i < written_; ++i) ASSERT_EQ(read_line(), line(i));
  }
}

TEST_F(LineOutputTest, AClosedReaderDoesNotBlockTheWriter) {
  write_lines(200);
  ::signal(SIGPIPE, SIG_IGN);
  close_reader();
  write_lines(1000);
}

TEST_F(LineOutputTest, TheDestructorWritesEverythingToAReaderThatReads) {
  write_lines(100);
  std::string got;
  std::thread reader([&] {
    for (int i = 0; i < 100; ++i) got += read_line();
  });
  output_.reset();
  reader.join();
  std::string all;
  for (int i = 0; i < 100; ++i) all += line(i);
  EXPECT_EQ(got, all);
}

}  // namespace
}  // namespace bellows::sys
