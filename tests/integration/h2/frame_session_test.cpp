// How much of what was received is still decoded once nothing of it is wanted any more.
#include "http/h2/io/frame_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "http/h2/core/preface.hpp"
#include "http/h2/io/stream.hpp"
#include "tests/integration/h2/h2_world.hpp"

namespace bellows::http2 {
namespace {

/// Counts what it is told, and wants no more after `most`.
class Counting final : public FrameEvents {
 public:
  explicit Counting(int most) : most_(most) {}

  Stream* find(StreamHandle /*handle*/) const override { return nullptr; }
  Stream* on_head_begins(std::int32_t /*id*/, Stream* stream) override { return stream; }
  void on_field(std::string_view /*name*/, std::string_view /*value*/) override { ++told; }
  void on_bad_field(bool /*is_name*/) override { ++told; }
  void on_head_ends(Stream* /*stream*/, bool /*ends*/) override {}
  void on_data(Stream* /*stream*/, std::int32_t /*id*/, std::string_view /*data*/) override {}
  void on_data_ends(Stream* /*stream*/, std::size_t /*bytes*/, bool /*ends*/) override {}
  void on_frame(FrameKind kind, std::uint32_t /*value*/) override {
    if (kind != FrameKind::kSettings) ++told;
  }
  void on_headers_frame(std::int32_t /*id*/) override {}
  void on_bad_frame(Stream* /*stream*/) override {}
  void on_closed(Stream* /*stream*/, std::uint32_t /*code*/) override {}
  void on_sent(FrameKind /*kind*/, Stream* /*stream*/, std::uint32_t /*value*/,
               bool /*ends*/) override {}
  bool takes_frames() const override { return told < most_; }
  std::size_t room() const override { return (std::size_t{1} << 20U) - sent.size(); }
  void put(std::string_view bytes) override { sent.append(bytes); }

  int told = 0;
  std::string sent;

 private:
  int most_;
};

struct Flood {
  const char* what;
  std::string bytes;
};

std::ostream& operator<<(std::ostream& out, const Flood& flood) {
  return out << flood.what;
}

class Unwanted : public testing::TestWithParam<Flood> {};

TEST_P(Unwanted, IsNotDecoded) {
  const Limits limits;
  Counting events(10);
  FrameSession session(true, limits, events);
  const std::string begin = std::string(kPreface) + test::frame(test::kSettings, 0, 0);
  EXPECT_EQ(session.receive(begin + GetParam().bytes), FrameSession::Received::kFailed);
  EXPECT_EQ(events.told, 10);
  EXPECT_EQ(session.receive(GetParam().bytes), FrameSession::Received::kFailed);
  EXPECT_EQ(events.told, 10);
  session.terminate(ErrorCode::kEnhanceYourCalm, 0);
  while (session.make()) {
  }
  EXPECT_TRUE(std::ranges::any_of(test::frames_of(events.sent), [](const test::Frame& frame) {
    return frame.type == test::kGoaway;
  }));
}

std::string repeated(const std::string& piece) {
  return times(100, [&](int /*i*/) { return piece; });
}

const std::vector<Flood> kFloods = {
    {"a head whose rest would be a field a byte",
     test::frame(test::kHeaders, 5, 1, test::block(test::kGetFields) + std::string(1'000, '\x90'))},
    {"PING", repeated(test::frame(test::kPing, 0, 0, test::number(0, 8)))},
    {"PRIORITY", repeated(test::frame(test::kPriority, 0, 3, test::number(0, 5)))},
    {"an unknown type", repeated(test::frame(0x77, 0, 0, "x"))},
    {"CONTINUATION",
     test::frame(test::kHeaders, 1, 1) + repeated(test::frame(test::kContinuation, 0, 1))},
};

INSTANTIATE_TEST_SUITE_P(All, Unwanted, testing::ValuesIn(kFloods));

}  // namespace
}  // namespace bellows::http2
