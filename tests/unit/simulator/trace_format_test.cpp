#include "simulator/trace_format.hpp"

#include <gtest/gtest.h>

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

Result<Traffic> read(TraceFormat format, std::string_view text, std::string function = {}) {
  return read_trace({.file = "t.csv", .text = text},
                    {.format = format, .function = std::move(function)});
}
std::string problem(TraceFormat format, std::string_view text) {
  const auto traffic = read(format, text);
  return traffic ? "none" : to_string(traffic.error());
}

std::string row_2019(const std::string& function, const std::string& first_count) {
  std::string row = "o,a," + function + ",http," + first_count;
  for (int minute = 2; minute <= 1440; ++minute) row += minute == 1440 ? ",2" : ",0";
  return row + "\n";
}
std::string titles_2019() {
  std::string titles = "HashOwner,HashApp,HashFunction,Trigger";
  for (int minute = 1; minute <= 1440; ++minute) titles += "," + std::to_string(minute);
  return titles + "\n";
}
const std::string kTitles2019 = titles_2019();
const std::string kTitles2021 = "app,func,end_timestamp,duration\n";

TEST(MinutesTrace, HasOneCountPerMinute) {
  const auto traffic =
      read(TraceFormat::kMinutes, "period,count\n1998-06-30 00:00:00,5\n1998-06-30 00:01:00,7\r\n");
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->per_minute, (std::vector<std::uint32_t>{5, 7}));
  EXPECT_EQ(traffic->length, 2min);
}

TEST(MinutesTrace, AMissingMinuteHasNoRequests) {
  const auto traffic =
      read(TraceFormat::kMinutes, "period,count\n1998-06-30 23:59:00,5\n1998-07-01 00:01:00,7\n");
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->per_minute, (std::vector<std::uint32_t>{5, 0, 7}));
}

TEST(MinutesTrace, AnInvalidLineIsReportedWithValueAndWhatIsValid) {
  EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n1998-06-30 00:00:00,-1\n"),
            "t.csv:2: count: \"-1\": want a whole number from 0 to 100000000");
  EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n1998-06-30 00:00,1\n"),
            "t.csv:2: period: \"1998-06-30 00:00\": want a time such as 2023-11-16 18:15:46.68, "
            "or seconds");
  EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n60,1\n\n60,1\n"),
            "t.csv:4: period: \"60\": want whole minutes, each after the one before");
  EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n60,1,2\n"),
            "t.csv:2: columns: \"3 of them\": want 2: period,count");
  EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n60,0\n"),
            "t.csv: has no request: want at least one");
  EXPECT_EQ(problem(TraceFormat::kMinutes, ""), "t.csv: has no request: want at least one");
  // The last three are no times that an int64 of nanoseconds holds.
  for (const std::string day :
       {"1998-02-30", "1969-12-31", "0001-01-01", "2610-08-28", "9999-12-31"}) {
    EXPECT_EQ(problem(TraceFormat::kMinutes, "period,count\n" + day + " 00:00:00,1\n"),
              "t.csv:2: period: \"" + day +
                  " 00:00:00\": want a time such as "
                  "2023-11-16 18:15:46.68, or seconds");
  }
}

TEST(EventsTrace, TokensBecomeServiceTimes) {
  const auto traffic = read(TraceFormat::kEvents,
                            "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                            "2023-11-16 18:15:46.6805900,374,44\n"
                            "2023-11-16 18:16:01.0000000,1000,0\n");
  ASSERT_TRUE(traffic);
  ASSERT_EQ(traffic->events.size(), 2U);
  EXPECT_EQ(traffic->events[0].at, 46680590us);
  EXPECT_EQ(traffic->events[0].service, 374 * 200us + 44 * 30ms);
  EXPECT_EQ(traffic->events[1].at, 61s);
  EXPECT_EQ(traffic->length, 2min);
}

TEST(EventsTrace, PlainTimestampsNeedNoTitleAndMayBeSeconds) {
  const auto traffic = read(TraceFormat::kEvents, "120.5\n121\n");
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->events[0].at, 500ms);
  EXPECT_EQ(traffic->events[1].at, 1s);
  EXPECT_FALSE(traffic->events[0].service);
}

TEST(EventsTrace, AnInvalidLineIsReported) {
  EXPECT_EQ(problem(TraceFormat::kEvents, "1\nyesterday\n"),
            "t.csv:2: TIMESTAMP: \"yesterday\": want a time such as 2023-11-16 18:15:46.68, or "
            "seconds");
  EXPECT_EQ(problem(TraceFormat::kEvents, "1,2\n"),
            "t.csv:1: columns: \"2 of them\": want 3: TIMESTAMP,ContextTokens,GeneratedTokens");
  EXPECT_EQ(problem(TraceFormat::kEvents, "0\n99999999\n"),
            "t.csv: the times span more than a year: want at most one");
}

TEST(Azure2019Trace, SumsAllFunctionsOrSelectsOne) {
  const std::string text = kTitles2019 + row_2019("f1", "3") + row_2019("f2", "4");
  EXPECT_EQ(read(TraceFormat::kAzure2019, text)->per_minute.front(), 7U);
  const auto one = read(TraceFormat::kAzure2019, text, "f2");
  EXPECT_EQ(one->per_minute.front(), 4U);
  EXPECT_EQ(one->per_minute.back(), 2U);
  EXPECT_EQ(one->length, 24h);
}

TEST(Azure2019Trace, WithoutRequestsIsRejected) {
  EXPECT_EQ(problem(TraceFormat::kAzure2019, kTitles2019),
            "t.csv: has no request: want at least one");
  std::string empty = row_2019("f1", "0");
  empty.replace(empty.size() - 2, 1, "0");
  EXPECT_EQ(problem(TraceFormat::kAzure2019, kTitles2019 + empty),
            "t.csv: has no request: want at least one");
}

TEST(Azure2019Trace, TooManyRequestsInSumAreRejected) {
  std::string text = kTitles2019;
  for (int i = 0; i < 43; ++i) text += row_2019("f" + std::to_string(i), "100000000");
  EXPECT_EQ(problem(TraceFormat::kAzure2019, text),
            "t.csv: minute 1 of all functions: \"4300000000\": want at most 100000000 requests");
  EXPECT_TRUE(read(TraceFormat::kAzure2019, text, "f7"));
}

TEST(Azure2019Trace, AnUnknownFunctionIsReportedWithTheKnownOnes) {
  const auto none = read(TraceFormat::kAzure2019, kTitles2019 + row_2019("f1", "3"), "g");
  ASSERT_FALSE(none);
  EXPECT_EQ(to_string(none.error()),
            "t.csv: function g: no function with this prefix of its hash; known: f1 (5 requests)");
}

TEST(Azure2019Trace, DurationsOfOneFunctionBecomeItsServiceTimes) {
  const std::string trace = kTitles2019 + row_2019("f1", "3") + row_2019("f2", "4");
  const std::string durations =
      "HashOwner,HashApp,HashFunction,Average,Count,Minimum,Maximum,percentile_Average_0,"
      "percentile_Average_1,percentile_Average_25,percentile_Average_50,percentile_Average_75,"
      "percentile_Average_99,percentile_Average_100\n"
      "o,a,f2,1,1,1,1,10,20,30,40,50,60,70\n";
  TraceChoice choice{.format = TraceFormat::kAzure2019, .function = "f2"};
  choice.durations = {.file = "d.csv", .text = durations};
  const auto traffic = read_trace({.file = "t.csv", .text = trace}, choice);
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->service->at(0.5), 40ms);
  EXPECT_EQ(traffic->service->longest(), 70ms);

  choice.durations->text = "o,a,f2,1,1,1,1,10,20,30,40,50,60,70\n";
  EXPECT_TRUE(to_string(read_trace({.file = "t.csv", .text = trace}, choice).error())
                  .starts_with("d.csv:1: title: \"o\": want HashOwner: the first line is "));
  choice.durations->text = durations;

  choice.function = "f";
  EXPECT_EQ(read_trace({.file = "t.csv", .text = trace}, choice).error().culprit(), "durations");
  choice.function = "f1";
  EXPECT_EQ(read_trace({.file = "t.csv", .text = trace}, choice).error().culprit(),
            "d.csv: function f1");
}

TEST(Azure2021Trace, ArrivalsAreEndTimesMinusDurationsInOrder) {
  const auto traffic = read(TraceFormat::kAzure2021, kTitles2021 + "a,f,10,8\na,g,5,0.5\n");
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->events[0], (Traffic::Event{.at = 2s, .service = 8s}));
  EXPECT_EQ(traffic->events[1], (Traffic::Event{.at = 4500ms, .service = 500ms}));
  EXPECT_EQ(
      read(TraceFormat::kAzure2021, kTitles2021 + "a,f,10,8\na,g,5,0.5\n", "g")->events.size(), 1U);
}

TEST(Azure2021Trace, AnInvalidLineIsReported) {
  EXPECT_EQ(problem(TraceFormat::kAzure2021, kTitles2021 + "a,f,10,-8\n"),
            "t.csv:2: duration: \"-8\": want seconds, such as 0.078");
  EXPECT_EQ(problem(TraceFormat::kAzure2021, kTitles2021 + "a,f,9000000000,8000000000\n"),
            "t.csv:2: duration: \"8000000000\": want at most a year (31622400 seconds)");
}

TEST(MinutesTrace, AFirstLineThatStartsWithATimeIsData) {
  const auto traffic =
      read(TraceFormat::kMinutes, "2024-01-01 00:00:00,6000\n2024-01-01 00:01:00,60\n");
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->per_minute, (std::vector<std::uint32_t>{6000, 60}));
}

TEST(TraceFormat, AFirstLineThatIsNeitherTitleNorDataIsRejected) {
  const struct {
    TraceFormat format;
    std::string text;
    std::string problem;
  } cases[] = {
      {TraceFormat::kMinutes, "2024-01-01 00:0,6000\n60,1\n",
       "t.csv:1: title: \"2024-01-01 00:0\": want period: the first line is period,count"},
      {TraceFormat::kMinutes, "period,requests\n60,1\n",
       "t.csv:1: title: \"requests\": want count: the first line is period,count"},
      {TraceFormat::kMinutes, "period\n60,1\n",
       "t.csv:1: columns: \"1 of them\": want 2: period,count"},
      {TraceFormat::kEvents, "yesterday\n120.5\n",
       "t.csv:1: title: \"yesterday\": want TIMESTAMP: the first line is "
       "TIMESTAMP,ContextTokens,GeneratedTokens, or TIMESTAMP, or a time"},
      {TraceFormat::kAzure2019, row_2019("f1", "3") + row_2019("f2", "4"),
       "t.csv:1: title: \"o\": want HashOwner: the first line is "
       "HashOwner,HashApp,HashFunction,Trigger,1,2,...,1440"},
      {TraceFormat::kAzure2021, "a,f,10,8\na,g,5,0.5\n",
       "t.csv:1: title: \"a\": want app: the first line is app,func,end_timestamp,duration"},
  };
  for (const auto& test : cases) EXPECT_EQ(problem(test.format, test.text), test.problem);
}

TEST(TraceFormat, ChoicesThatTheFormatDoesNotHaveAreRejected) {
  EXPECT_EQ(to_string(read(TraceFormat::kMinutes, "period,count\n60,1\n", "c13a").error()),
            "function: \"c13a\": a trace of format minutes has no functions: want azure2019 or "
            "azure2021");
  EXPECT_EQ(read(TraceFormat::kEvents, "1\n", "c13a").error().culprit(), "function");
  TraceChoice choice{.format = TraceFormat::kAzure2021};
  choice.durations = {.file = "d.csv", .text = "junk"};
  EXPECT_EQ(to_string(read_trace({.file = "t.csv", .text = kTitles2021}, choice).error()),
            "durations: \"d.csv\": a trace of format azure2021 has none: want azure2019");
}

TEST(TraceFormat, IsDetectedByTheFirstLine) {
  EXPECT_EQ(detect_format("period,count\n"), TraceFormat::kMinutes);
  EXPECT_EQ(detect_format("TIMESTAMP,ContextTokens,GeneratedTokens\n"), TraceFormat::kEvents);
  EXPECT_EQ(detect_format("12.5\n"), TraceFormat::kEvents);
  EXPECT_EQ(detect_format("12.5,374,44\n"), TraceFormat::kEvents);
  EXPECT_EQ(detect_format("60,12\n"), TraceFormat::kMinutes);
  EXPECT_EQ(detect_format(kTitles2019), TraceFormat::kAzure2019);
  EXPECT_EQ(detect_format(kTitles2021), TraceFormat::kAzure2021);
  EXPECT_EQ(detect_format("hello\n"), std::nullopt);
  EXPECT_EQ(detect_format(""), std::nullopt);
}

}  // namespace
}  // namespace bellows::simulator
