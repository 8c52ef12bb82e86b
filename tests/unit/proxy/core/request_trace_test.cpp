#include "proxy/core/request_trace.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace bellows::proxy {
namespace {

const std::string kCallersTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kCallersSpan = "00f067aa0ba902b7";
const std::string kSampled = "traceparent: 00-" + kCallersTrace + "-" + kCallersSpan + "-01\r\n";
const std::string kUnsampled = "traceparent: 00-" + kCallersTrace + "-" + kCallersSpan + "-00\r\n";

/// A request at one hop, and what it sends on.
class Hop {
 public:
  explicit Hop(const std::string& lines, TraceOptions options = {}, Peer caller = Peer::kOutside)
      : text_("GET / HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n") {
    http::HeadParser parser;
    EXPECT_TRUE(parser.read(text_, *head_).is_complete()) << lines;
    Tracer tracer(options, 7);
    trace = tracer.begin(head_->fields, caller);
  }

  /// The lines of the trace that the next hop gets.
  std::string sent() const {
    std::string out;
    // Between inner hops nothing else is added.
    write_request_head(*head_, {.downstream = Peer::kInside, .trace = &trace}, false, out);
    const std::string before = "GET / HTTP/1.1\r\nHost: a\r\n";
    EXPECT_TRUE(out.starts_with(before)) << out;
    return out.substr(before.size(), out.size() - before.size() - 2);
  }
  std::string trace_id() const { return to_string(trace.context.trace); }
  std::string span() const {
    std::string text;
    append_hex(trace.span, text);
    return text;
  }

  RequestTrace trace;

 private:
  std::string text_;
  std::unique_ptr<http::RequestHead> head_ = std::make_unique<http::RequestHead>();
};

constexpr TraceOptions kRecording{.sampling = 1, .records = true};

TEST(RequestTrace, IsMadeForARequestWithoutOne) {
  const Hop hop("");
  EXPECT_EQ(hop.sent(), "traceparent: 00-" + hop.trace_id() + "-" + hop.span() + "-01\r\n");
  EXPECT_EQ(hop.trace_id().size(), 32U);
  EXPECT_TRUE(hop.trace.context.parent.empty());
  EXPECT_FALSE(hop.trace.is_recorded);
}

TEST(RequestTrace, HasIdsThatDoNotRepeat) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  http::HeadParser parser;
  const auto parsed = std::make_unique<http::RequestHead>();
  ASSERT_TRUE(parser.read(head, *parsed).is_complete());
  std::set<std::string> seen;
  for (const std::uint64_t seed : {1, 2}) {
    Tracer tracer({}, seed);
    for (int i = 0; i < 1000; ++i) {
      seen.insert(to_string(tracer.begin(parsed->fields, Peer::kOutside).context.trace));
    }
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(RequestTrace, OfACallerIsHandedOnAsItCameUnlessItIsRecorded) {
  const std::string lines = "tracestate: a=1\r\n" + kSampled + "tracestate: b=2\r\n";
  EXPECT_EQ(Hop(lines).sent(), lines);
  EXPECT_EQ(Hop(kUnsampled, kRecording).sent(), kUnsampled);
  EXPECT_EQ(Hop(kSampled, {.sampling = 0}).sent(), kSampled);
}

TEST(RequestTrace, NamesThisHopAsParentWhenItIsRecorded) {
  const Hop hop("tracestate: a=1\r\n" + kSampled, kRecording);
  EXPECT_TRUE(hop.trace.is_recorded);
  EXPECT_NE(hop.span(), kCallersSpan);
  EXPECT_EQ(hop.sent(),
            "tracestate: a=1\r\ntraceparent: 00-" + kCallersTrace + "-" + hop.span() + "-01\r\n");
}

TEST(RequestTrace, ReplacesABadTraceparentAndDropsItsTracestate) {
  const std::vector<std::string> table = {
      "00-abc", "", "ff-" + kCallersTrace + "-" + kCallersSpan + "-01",
      "00-" + std::string(32, '0') + "-" + kCallersSpan + "-01", kCallersTrace};
  for (const std::string& bad : table) {
    const Hop hop("traceparent: " + bad + "\r\ntracestate: a=1\r\n");
    EXPECT_EQ(hop.sent(), "traceparent: 00-" + hop.trace_id() + "-" + hop.span() + "-01\r\n")
        << bad;
  }
  const Hop two(kSampled + kUnsampled);
  EXPECT_NE(two.trace_id(), kCallersTrace);
  EXPECT_EQ(two.sent(), "traceparent: 00-" + two.trace_id() + "-" + two.span() + "-01\r\n");
}

TEST(RequestTrace, OfB3IsTranslatedAndB3StaysForApps) {
  const std::string b3 = "b3: " + kCallersTrace + "-" + kCallersSpan + "-1\r\n";
  EXPECT_EQ(Hop(b3).sent(),
            b3 + "traceparent: 00-" + kCallersTrace + "-" + kCallersSpan + "-01\r\n");
  const Hop recorded(b3, kRecording);
  EXPECT_EQ(recorded.sent(), "traceparent: 00-" + kCallersTrace + "-" + recorded.span() +
                                 "-01\r\nb3: " + kCallersTrace + "-" + recorded.span() + "-1-" +
                                 kCallersSpan + "\r\n");
}

TEST(RequestTrace, OfB3KeepsItsShortIdAndItsDebugFlag) {
  const Hop hop("b3: a3ce929d0e0e4736-" + kCallersSpan + "-d-05e3ac9a4f6e3b90\r\n", kRecording);
  EXPECT_EQ(hop.sent(), "traceparent: 00-0000000000000000a3ce929d0e0e4736-" + hop.span() +
                            "-01\r\nb3: a3ce929d0e0e4736-" + hop.span() + "-d-" + kCallersSpan +
                            "\r\n");
}

TEST(RequestTrace, OfManyFieldsIsWrittenInMany) {
  const std::string trace = "X-B3-TraceId: " + kCallersTrace + "\r\n";
  const Hop hop(trace + "X-B3-SpanId: " + kCallersSpan +
                    "\r\nX-B3-ParentSpanId: 05e3ac9a4f6e3b90\r\nX-B3-Sampled: 1\r\n",
                kRecording);
  EXPECT_EQ(hop.sent(), trace + "X-B3-Sampled: 1\r\ntraceparent: 00-" + kCallersTrace + "-" +
                            hop.span() + "-01\r\nX-B3-SpanId: " + hop.span() +
                            "\r\nX-B3-ParentSpanId: " + kCallersSpan + "\r\n");
}

TEST(RequestTrace, OfB3WithoutADecisionIsDecidedHere) {
  const std::string ids =
      "X-B3-TraceId: " + kCallersTrace + "\r\nX-B3-SpanId: " + kCallersSpan + "\r\n";
  const Hop sampled(ids, kRecording);
  EXPECT_TRUE(sampled.sent().ends_with("X-B3-Sampled: 1\r\n")) << sampled.sent();
  const Hop single("b3: " + kCallersTrace + "-" + kCallersSpan + "\r\n", kRecording);
  EXPECT_TRUE(single.sent().ends_with(single.span() + "-1-" + kCallersSpan + "\r\n"))
      << single.sent();
  const Hop never(ids, {.sampling = 0, .records = true});
  EXPECT_FALSE(never.trace.is_recorded);
  EXPECT_EQ(never.sent(),
            ids + "traceparent: 00-" + kCallersTrace + "-" + kCallersSpan + "-00\r\n");
}

TEST(RequestTrace, FollowsADecisionOfB3WithoutIds) {
  const Hop denied("b3: 0\r\n", kRecording);
  EXPECT_EQ(denied.sent(),
            "b3: 0\r\ntraceparent: 00-" + denied.trace_id() + "-" + denied.span() + "-00\r\n");
  EXPECT_FALSE(denied.trace.is_recorded);
  EXPECT_TRUE(Hop("b3: 1\r\n", {.sampling = 0, .records = true}).trace.is_recorded);
}

TEST(RequestTrace, KeepsB3ThatIsMalformedAndThatOfAnotherTrace) {
  const std::string odd = "b3: nonsense\r\n";
  const Hop hop(odd);
  EXPECT_EQ(hop.sent(), odd + "traceparent: 00-" + hop.trace_id() + "-" + hop.span() + "-01\r\n");
  const std::string other = "b3: 0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-1\r\n";
  const Hop both(other + kSampled, kRecording);
  EXPECT_EQ(both.sent(),
            other + "traceparent: 00-" + kCallersTrace + "-" + both.span() + "-01\r\n");
}

TEST(RequestTrace, OfAnInnerHopIsReadOnlyToRecordIt) {
  EXPECT_EQ(Hop("", {}, Peer::kInside).sent(), "");
  EXPECT_EQ(Hop("traceparent: 00-abc\r\n", {}, Peer::kInside).sent(), "traceparent: 00-abc\r\n");
  const Hop recorded(kSampled, kRecording, Peer::kInside);
  EXPECT_EQ(recorded.sent(),
            "traceparent: 00-" + kCallersTrace + "-" + recorded.span() + "-01\r\n");
}

TEST(TraceSampling, IsTheShareOfTracesThatBeginHere) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  http::HeadParser parser;
  const auto parsed = std::make_unique<http::RequestHead>();
  ASSERT_TRUE(parser.read(head, *parsed).is_complete());
  for (const double share : {0.0, 0.1, 0.9, 1.0}) {
    Tracer tracer({.sampling = share, .records = true}, 3);
    int sampled = 0;
    for (int i = 0; i < 10'000; ++i) {
      const RequestTrace trace = tracer.begin(parsed->fields, Peer::kOutside);
      EXPECT_EQ(trace.is_recorded, trace.context.is_sampled);
      if (trace.context.is_sampled) ++sampled;
    }
    EXPECT_NEAR(sampled, share * 10'000, share > 0 && share < 1 ? 120 : 0) << share;
  }
}

}  // namespace
}  // namespace bellows::proxy
