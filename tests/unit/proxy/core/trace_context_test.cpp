#include "proxy/core/trace_context.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bellows::proxy {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpan = "00f067aa0ba902b7";
const std::string kValid = "00-" + kTrace + "-" + kSpan + "-01";
constexpr TraceId kTraceId{.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736};
constexpr SpanId kSpanId{0x00f067aa0ba902b7};

/// What is read from a request with these lines.
ReceivedTrace received(const std::string& lines) {
  const std::string text = "GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n";
  http::HeadParser parser;
  const auto head = std::make_unique<http::RequestHead>();
  EXPECT_TRUE(parser.read(text, *head).is_complete()) << lines;
  return read_trace(head->fields);
}

std::string written(const TraceContext& context) {
  std::string out;
  append_traceparent(context, out);
  return out;
}

TEST(Traceparent, IsReadAndWritten) {
  const auto context = parse_traceparent(kValid);
  ASSERT_TRUE(context);
  EXPECT_EQ(*context, (TraceContext{.trace = kTraceId, .parent = kSpanId, .is_sampled = true}));
  EXPECT_EQ(written(*context), kValid);
  EXPECT_EQ(to_string(context->trace), kTrace);
}

TEST(Traceparent, HasTwoFlagsAndDropsUnknownOnes) {
  for (const auto& [flags, out] : std::vector<std::pair<std::string, std::string>>{
           {"00", "00"}, {"01", "01"}, {"02", "02"}, {"03", "03"}, {"ff", "03"}, {"fc", "00"}}) {
    const auto context = parse_traceparent("00-" + kTrace + "-" + kSpan + "-" + flags);
    ASSERT_TRUE(context) << flags;
    EXPECT_EQ(written(*context).substr(53), out) << flags;
  }
}

TEST(Traceparent, IsRejectedIfItIsMalformed) {
  const std::string zeros(32, '0');
  const std::vector<std::pair<const char*, std::string>> table = {
      {"empty", ""},
      {"too short", kValid.substr(0, 54)},
      {"version 00 with more", kValid + "-00"},
      {"version ff", "ff" + kValid.substr(2)},
      {"version in capitals", "0A" + kValid.substr(2)},
      {"version of one digit", "0-" + kTrace + "-" + kSpan + "-010"},
      {"a later version that goes on without a hyphen", "01" + kValid.substr(2) + "x"},
      {"a trace id of zeros", "00-" + zeros + "-" + kSpan + "-01"},
      {"a parent of zeros", "00-" + kTrace + "-" + zeros.substr(16) + "-01"},
      {"capitals in the trace id", "00-4BF92f3577b34da6a3ce929d0e0e4736-" + kSpan + "-01"},
      {"capitals in the parent", "00-" + kTrace + "-00F067aa0ba902b7-01"},
      {"a letter beyond f", "00-" + kTrace + "-00g067aa0ba902b7-01"},
      {"flags that are no number", "00-" + kTrace + "-" + kSpan + "-0x"},
      {"another separator", "00_" + kTrace + "-" + kSpan + "-01"},
      {"a separator moved", "00-" + kTrace + "0-" + kSpan.substr(1) + "-01"},
      {"white space within", "00- " + kTrace.substr(1) + "-" + kSpan + "-01"}};
  for (const auto& [what, value] : table) EXPECT_FALSE(parse_traceparent(value)) << what;
}

TEST(Traceparent, OfALaterVersionIsReadAsVersion00) {
  for (const std::string more : {"", "-", "-what-the-future-brings"}) {
    const auto context = parse_traceparent("cc" + kValid.substr(2) + more);
    ASSERT_TRUE(context) << more;
    EXPECT_EQ(written(*context), kValid) << more;
  }
}

TEST(Traceparent, IsNoneIfThereAreTwo) {
  const ReceivedTrace two =
      received("traceparent: " + kValid + "\r\ntraceparent: " + kValid + "\r\n");
  EXPECT_TRUE(two.has_traceparent);
  EXPECT_FALSE(two.context);
  const ReceivedTrace one = received("TraceParent:\t " + kValid + " \r\n");
  EXPECT_EQ(one.form, TraceForm::kTraceparent);
  EXPECT_TRUE(one.context);
}

TEST(B3, IsReadInOneField) {
  struct Row {
    std::string value;
    bool is_sampled;
  };
  for (const Row& row :
       {Row{kTrace + "-" + kSpan, false}, Row{kTrace + "-" + kSpan + "-1", true},
        Row{kTrace + "-" + kSpan + "-d", true}, Row{kTrace + "-" + kSpan + "-0", false},
        Row{kTrace + "-" + kSpan + "-1-05e3ac9a4f6e3b90", true}}) {
    std::optional<bool> sampled;
    const auto context = parse_b3(row.value, sampled);
    ASSERT_TRUE(context) << row.value;
    EXPECT_EQ(*context,
              (TraceContext{.trace = kTraceId, .parent = kSpanId, .is_sampled = row.is_sampled}))
        << row.value;
    EXPECT_EQ(sampled.has_value(), row.value.size() > 49) << row.value;
  }
}

TEST(B3, HasTraceIdsOf8BytesToo) {
  std::optional<bool> sampled;
  const auto context = parse_b3("a3ce929d0e0e4736-" + kSpan + "-1", sampled);
  ASSERT_TRUE(context);
  EXPECT_EQ(written(*context), "00-0000000000000000a3ce929d0e0e4736-" + kSpan + "-01");
}

TEST(B3, IsOnlyADecisionIfItHasNoIds) {
  for (const auto& [value, decided] : std::vector<std::pair<std::string, std::optional<bool>>>{
           {"0", false}, {"1", true}, {"d", true}, {"2", {}}, {"true", {}}, {"", {}}}) {
    const ReceivedTrace trace = received("b3: " + value + "\r\n");
    EXPECT_FALSE(trace.context) << value;
    EXPECT_EQ(trace.is_sampled, decided) << value;
  }
}

TEST(B3, IsIgnoredIfItIsOdd) {
  const std::string zeros(32, '0');
  const std::vector<std::pair<const char*, std::string>> table = {
      {"a trace id of 24 digits", kTrace.substr(8) + "-" + kSpan},
      {"a span of 32 digits", kTrace + "-" + kTrace},
      {"a trace id of zeros", zeros + "-" + kSpan + "-1"},
      {"a span of zeros", kTrace + "-" + zeros.substr(16) + "-1"},
      {"capitals", "4BF92f3577b34da6a3ce929d0e0e4736-" + kSpan + "-1"},
      {"an unknown decision", kTrace + "-" + kSpan + "-2"},
      {"a decision in words", kTrace + "-" + kSpan + "-true"},
      {"an empty decision", kTrace + "-" + kSpan + "-"},
      {"a malformed parent", kTrace + "-" + kSpan + "-1-xyz"},
      {"a fifth part", kTrace + "-" + kSpan + "-1-" + kSpan + "-1"},
      {"a span only", "-" + kSpan}};
  for (const auto& [what, value] : table) {
    const ReceivedTrace trace = received("b3: " + value + "\r\n");
    EXPECT_EQ(trace.form, TraceForm::kNone) << what;
    EXPECT_FALSE(trace.context) << what;
    EXPECT_FALSE(trace.is_sampled) << what;
  }
}

TEST(B3, IsReadInManyFields) {
  const std::string ids = "X-B3-TraceId: " + kTrace + "\r\nx-b3-spanid: " + kSpan + "\r\n";
  struct Row {
    std::string more;
    std::optional<bool> sampled;
  };
  for (const Row& row :
       {Row{"", {}}, Row{"X-B3-Sampled: 1\r\n", true}, Row{"X-B3-Sampled: 0\r\n", false},
        Row{"X-B3-Sampled: true\r\n", true}, Row{"X-B3-Sampled: maybe\r\n", {}},
        Row{"X-B3-Flags: 1\r\n", true}, Row{"X-B3-Flags: 1\r\nX-B3-Sampled: 0\r\n", true}}) {
    const ReceivedTrace trace = received(ids + row.more);
    EXPECT_EQ(trace.form, TraceForm::kB3Many) << row.more;
    ASSERT_TRUE(trace.context) << row.more;
    EXPECT_EQ(trace.context->trace, kTraceId);
    EXPECT_EQ(trace.context->parent, kSpanId);
    EXPECT_EQ(trace.is_sampled, row.sampled) << row.more;
  }
}

TEST(B3, InManyFieldsNeedsBothIdsOnce) {
  const std::string trace = "X-B3-TraceId: " + kTrace + "\r\n";
  const std::string span = "X-B3-SpanId: " + kSpan + "\r\n";
  EXPECT_FALSE(received(trace).context);
  EXPECT_FALSE(received(span).context);
  EXPECT_FALSE(received(trace + trace + span).context);
  const ReceivedTrace decided = received("X-B3-Sampled: 0\r\n");
  EXPECT_FALSE(decided.context);
  EXPECT_EQ(decided.is_sampled, false);
}

TEST(ReceivedTrace, IsThatOfTraceparentIfItIsValid) {
  const std::string b3 = "b3: " + kTrace + "-" + kSpan + "-0\r\n";
  const ReceivedTrace both =
      received(b3 + "traceparent: 00-0af7651916cd43dd8448eb211c80319c-" + kSpan + "-01\r\n");
  EXPECT_EQ(both.form, TraceForm::kTraceparent);
  EXPECT_EQ(to_string(both.context->trace), "0af7651916cd43dd8448eb211c80319c");
  const ReceivedTrace bad = received(b3 + "traceparent: 00-abc\r\n");
  EXPECT_EQ(bad.form, TraceForm::kB3Single);
  EXPECT_TRUE(bad.has_traceparent);
  EXPECT_EQ(bad.context->trace, kTraceId);
}

TEST(ReceivedTrace, PrefersTheOneFieldOfB3) {
  const ReceivedTrace both = received(
      "X-B3-TraceId: 0af7651916cd43dd8448eb211c80319c\r\n"
      "X-B3-SpanId: b7ad6b7169203331\r\nb3: " +
      kTrace + "-" + kSpan + "-1\r\n");
  EXPECT_EQ(both.form, TraceForm::kB3Single);
  EXPECT_EQ(both.context->trace, kTraceId);
}

}  // namespace
}  // namespace bellows::proxy
