#include "simulator/access_log/access_log.hpp"

#include <gtest/gtest.h>

#include "base/duration_text.hpp"
#include "base/timestamp_text.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

const std::string kCommon = "10.0.0.1 - - [06/Feb/2009:12:14:14 +0100] \"GET /a HTTP/1.1\" 200 612";
const std::string kCombined = kCommon + " \"-\" \"Mozilla/5.0 (X11) \\\"x\\\" 7.5\"";
const std::string kHaproxy =
    "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/20/30/69/159 200 2750 - - "
    "---- 1/1/1/1/0 0/0 "
    "\"GET /index.html HTTP/1.1\"";
const std::string kAlb =
    "http 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 "
    "10.0.0.1:80 0.001 0.020 0.003 200 200 "
    "34 366 \"GET http://www.example.com:80/ HTTP/1.1\" \"curl/7.46.0\" - -";
const std::string kCaddy =
    R"({"level":"info","ts":1233918854.5,"logger":"http.log.access","msg":"handled request","request":{"method":"GET","duration":9},"duration":0.25,"status":200})";
const std::string kTraefikJson =
    R"({"Duration":52000000,"OriginDuration":50000000,"StartUTC":"2009-02-06T11:14:14.123456789Z","time":"2009-02-06T11:14:14Z"})";
const std::string kEnvoy =
    R"({"start_time":"2009-02-06T11:14:14.500Z","duration":12,"upstream_host":"10.0.0.1:80","response_code":200})";

std::string caddy(const std::string& duration) {
  return R"({"ts":1233918854.5,"request":{},"duration":)" + duration + "}";
}

/// "nginx with $request_time, arrived 2009-02-06T11:14:14.000000Z, took 12ms".
std::string told(const std::string& line) {
  const auto format = log_format_of(line);
  if (!format) return "no format";
  const LineResult read = read_log_line(*format, line);
  if (!read) return "unreadable " + std::string(read.error().field);
  return std::string(to_string(*format)) + ", arrived " +
         micro_timestamp_text(WallTime(read->arrival)) + ", took " +
         (read->service ? duration_text(*read->service) : "?") +
         (read->is_served ? "" : ", not served");
}

TEST(LogLine, EachFormatIsFoundAndRead) {
  const std::string no_time =
      "nginx or Apache without durations, arrived 2009-02-06T11:14:14.000000Z, took ?";
  const std::string nginx =
      "nginx with $request_time, arrived 2009-02-06T11:14:13.988000Z, took 12ms";
  const std::string apache = "Apache with %D, arrived 2009-02-06T11:14:14.000000Z, took 12ms345us";
  struct Row {
    std::string line;
    std::string told;
  };
  for (const Row& row : {
           Row{kCommon, no_time},
           Row{kCombined, no_time},
           Row{"www.example.com:443 " + kCombined, no_time},
           Row{kCombined + " 812 9340", no_time},  // %I %O: bytes
           Row{kCombined + " 0.012", nginx},
           Row{kCombined + " \"10.0.0.7\" rt=0.012 uct=\"-\"", nginx},
           Row{kCombined + " 433 0.012 [default-shop-80] [] 10.0.0.3:80 612 0.011 200 4f1c",
               nginx},  // ingress-nginx
           Row{kCombined + " \"0.012\"", nginx},
           // Referer, user agent and X-Forwarded-For are what callers write.
           Row{kCommon + " \"-\" \"1.0\"", no_time},
           Row{kCommon + " \"9.9\" \"9.900\" 0.012", nginx},
           Row{kCommon + " \"-\" \"-\" \"1.0\"", no_time},
           Row{kCommon + " \"-\" \"-\" \"9.900\" xff=\"9.900\" 0.012", nginx},
           Row{kCommon + " rt=\"0.012\"", nginx},
           Row{kCombined + " 12345", apache},
           Row{kCommon + " 12345", apache},
           Row{kCombined + " 17 \"shop@docker\" \"http://10.0.0.3:80\" 12ms",
               "Traefik, arrived 2009-02-06T11:14:14.000000Z, took 12ms"},
           Row{kHaproxy, "HAProxy, arrived 2009-02-06T12:14:14.665000Z, took 129ms"},
           Row{"Feb  6 12:14:14 lb haproxy[14389]: " + kHaproxy,
               "HAProxy, arrived 2009-02-06T12:14:14.665000Z, took 129ms"},
           Row{kAlb, "AWS ALB, arrived 2018-07-02T22:23:00.162641Z, took 23ms"},
           Row{kCaddy, "Caddy, arrived 2009-02-06T11:14:14.250000Z, took 250ms"},
           Row{caddy("\"532.5\u00b5s\""),
               "Caddy, arrived 2009-02-06T11:14:14.499467Z, took 532us500ns"},
           Row{caddy("\"1m30.5s\""), "Caddy, arrived 2009-02-06T11:12:44.000000Z, took 1m30s500ms"},
           Row{caddy("\"876000h\""), "unreadable duration"},
           Row{caddy("876000"), "Caddy, arrived 2009-01-27T07:54:14.500000Z, took 243h20m"},
           Row{caddy("3153600000"), "unreadable duration"},
           Row{kTraefikJson, "Traefik in JSON, arrived 2009-02-06T11:14:14.123456Z, took 50ms"},
           Row{kEnvoy, "Envoy in JSON, arrived 2009-02-06T11:14:14.500000Z, took 12ms"},
           Row{"{\"time\":\"2009-02-06T11:14:14Z\",\"status\":200}", "no format"},
           Row{"period,count", "no format"},
           Row{"", "no format"},
       }) {
    EXPECT_EQ(told(row.line), row.told) << row.line;
  }
}

TEST(LogLine, AYearThatNoDurationHoldsIsUnreadable) {
  struct Row {
    std::string year;
    bool is_valid;
  };
  for (const Row& row : {Row{"0001", false}, Row{"1969", false}, Row{"1970", true},
                         Row{"2250", true}, Row{"2610", false}, Row{"9999", false}}) {
    const auto of_year = [&](std::string line, const std::string& year) {
      line.replace(line.find(year), year.size(), row.year);
      return line;
    };
    for (const auto& [format, line] : {
             std::pair(LogFormat::kCombined, of_year(kCommon, "2009")),
             std::pair(LogFormat::kHaproxy, of_year(kHaproxy, "2009")),
             std::pair(LogFormat::kAlb, of_year(kAlb, "2018")),
             std::pair(LogFormat::kTraefikJson, of_year(kTraefikJson, "2009")),
             std::pair(LogFormat::kEnvoyJson, of_year(kEnvoy, "2009")),
         }) {
      EXPECT_EQ(read_log_line(format, line).has_value(), row.is_valid) << line;
    }
  }
}

TEST(LogLine, OnlyTheAccessLoggerOfCaddyTellsRequests) {
  for (const auto& [logger, is_served] :
       {std::pair("http.log.access", true), std::pair("http.log.access.log0", true),
        std::pair("http.log.error", false), std::pair("http.handlers.reverse_proxy", false)}) {
    std::string line = kCaddy;
    const std::string usual = "http.log.access";
    line.replace(line.find(usual), usual.size(), logger);
    const LineResult read = read_log_line(LogFormat::kCaddyJson, line);
    ASSERT_TRUE(read) << line;
    EXPECT_EQ(read->is_served, is_served) << line;
  }
  EXPECT_TRUE(read_log_line(LogFormat::kCaddyJson, caddy("0.25"))->is_served) << "no logger";
}

TEST(LogLine, ARequestThatNoServerGotIsNotServed) {
  EXPECT_TRUE(told("10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in http-in/<NOSRV> "
                   "-1/-1/-1/-1/5000 408 212 - - cR-- 1/1/0/0/0 0/0 \"<BADREQ>\"")
                  .ends_with(", not served"));
  EXPECT_TRUE(told("http 2018-07-02T22:23:00.186641Z app/a/5 192.168.131.39:2817 - -1 -1 -1 503 - "
                   "34 366 \"GET http://a:80/ HTTP/1.1\" \"c\" - -")
                  .ends_with(", not served"));
  EXPECT_TRUE(told(R"({"Duration":52000,"OriginDuration":0,"StartUTC":"2009-02-06T11:14:14Z"})")
                  .ends_with(", not served"));
  EXPECT_TRUE(told(R"({"start_time":"2009-02-06T11:14:14.500Z","duration":0,"upstream_host":null})")
                  .ends_with(", not served"));
  const LineResult other = read_log_line(
      LogFormat::kCaddyJson, R"({"level":"info","ts":1233918854.5,"logger":"tls","msg":"x"})");
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->is_served);
}

TEST(LogLine, ALineCutAnywhereIsNoCrash) {
  for (const std::string& line :
       {kCombined + " 0.012", kHaproxy, kAlb, kCaddy, kTraefikJson, kEnvoy}) {
    const auto format = log_format_of(line);
    ASSERT_TRUE(format);
    for (std::size_t size = 0; size < line.size(); ++size) {
      const std::string cut = line.substr(0, size);
      log_format_of(cut);
      EXPECT_FALSE(line.front() == '{' && read_log_line(*format, cut)) << cut;
    }
  }
}

Result<LogTraffic> read(const std::string& text, std::size_t part_at = 0) {
  const auto source = find_log_format("access.log", text);
  if (!source) return fail(source.error());
  LogPart all(*source);
  LogPart next(*source);
  all.read(std::string_view(text).substr(0, part_at));
  next.read(std::string_view(text).substr(part_at));
  all.add(next);
  return LogTraffic::of(all);
}
std::string problem(const std::string& text) {
  const auto log = read(text);
  return log ? "none" : to_string(log.error());
}
std::string line_at(const std::string& clock, const std::string& seconds) {
  return "10.0.0.1 - - [06/Feb/2009:" + clock + " +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"-\" " +
         seconds + "\n";
}
std::string many(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += line_at("12:00:0" + std::to_string(i * 10 / lines), "0.010");
  return text;
}

TEST(AccessLog, RequestsCountInTheSecondOfTheirArrival) {
  const std::string text = line_at("12:00:01", "0.000") + line_at("12:00:03", "0.900") +
                           line_at("12:00:05", "0.100") + "\r\n" + line_at("12:00:06", "1.100");
  for (std::size_t part_at = 0; part_at < text.size(); part_at = text.find('\n', part_at) + 1) {
    const auto log = read(text, part_at);
    ASSERT_TRUE(log) << to_string(log.error());
    EXPECT_EQ(log->traffic.per_second, (std::vector<std::uint32_t>{1, 1, 0, 2}));
    EXPECT_EQ(log->traffic.length, 1min);
    EXPECT_EQ(log->requests, 4U);
    EXPECT_EQ(log->format, LogFormat::kNginxTimed);
    EXPECT_TRUE(log->notes.empty());
    ASSERT_TRUE(log->traffic.service);
    EXPECT_NEAR(to_seconds(log->traffic.service->mean()), 2.1 / 4, 0.01);
  }
}

/// Reads `text` in two parts, cut behind each of its lines; all results are equal.
std::vector<Result<LogTraffic>> read_in_all_parts(const std::string& text) {
  std::vector<Result<LogTraffic>> logs = {read(text)};
  for (auto at = text.find('\n') + 1; at != 0; at = text.find('\n', at) + 1) {
    logs.push_back(read(text, at));
  }
  return logs;
}

TEST(AccessLog, ARequestThatBeganBeforeTheLogCountsAtItsBegin) {
  const auto apache = [](const std::string& at, const std::string& tail) {
    return "10.0.0.1 - - [" + at + " +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"-\" " + tail + "\n";
  };
  const auto haproxy = [](const std::string& at, const std::string& took) {
    return "10.0.1.2:3 [" + at + ".000] in static/srv1 0/0/0/" + took + "/" + took +
           " 200 2750 - - ---- 1/1/1/1/0 0/0 \"GET / HTTP/1.1\"\n";
  };
  const auto caddy_at = [](const std::string& at, const std::string& took) {
    return R"({"ts":")" + at + R"(","request":{},"duration":)" + took + "}\n";
  };
  const auto traefik = [](const std::string& at, const std::string& took) {
    return R"({"StartUTC":")" + at + R"(","Duration":)" + took + "}\n";
  };
  const auto envoy = [](const std::string& at, const std::string& took) {
    return R"({"start_time":")" + at + R"(","duration":)" + took + "}\n";
  };
  // Two short requests within three seconds, and one of a day.
  const std::string clf = "06/Feb/2009:12:00:0";
  const std::string clf_before = "05/Feb/2009:12:00:02";
  const std::string iso = "2009-02-06T12:00:0";
  const std::string iso_before = "2009-02-05T12:00:02Z";
  for (const std::string& text : {
           apache(clf + "0", "0.000") + apache(clf + "2", "0.000") + apache(clf + "2", "86400.000"),
           apache(clf + "0", "0") + apache(clf + "2", "0") + apache(clf_before, "86400000000"),
           apache(clf + "0", "1 \"r\" \"u\" 0ms") + apache(clf + "2", "2 \"r\" \"u\" 0ms") +
               apache(clf_before, "3 \"r\" \"u\" 86400000ms"),
           haproxy(clf + "0", "0") + haproxy(clf + "2", "0") + haproxy(clf_before, "86400000"),
           caddy_at(iso + "0Z", "0") + caddy_at(iso + "2Z", "0") + caddy_at(iso + "2Z", "86400"),
           traefik(iso + "0Z", "0") + traefik(iso + "2Z", "0") +
               traefik(iso_before, "86400000000000"),
           envoy(iso + "0Z", "0") + envoy(iso + "2Z", "0") + envoy(iso_before, "86400000"),
       }) {
    for (const auto& log : read_in_all_parts(text)) {
      ASSERT_TRUE(log) << to_string(log.error());
      EXPECT_EQ(log->traffic.per_second, (std::vector<std::uint32_t>{2, 0, 1})) << text;
      EXPECT_EQ(log->traffic.length, 1min);
      EXPECT_EQ(log->notes, (std::vector<std::string>{
                                "Requests began up to 23h59m58s before the log does; line 3: "
                                "2009-02-05T12:00:02Z. They count at its begin, "
                                "2009-02-06T12:00:00Z."}))
          << text;
    }
  }
}

TEST(AccessLog, OneRequestOfAYearMakesNoLogOfAYear) {
  const auto log = read(line_at("12:00:00", "0.010") + line_at("12:59:59", "31622399.000"));
  ASSERT_TRUE(log) << to_string(log.error());
  EXPECT_EQ(log->traffic.length, 1min);
  EXPECT_EQ(log->requests, 2U);
}

TEST(AccessLog, TimesThatSpanMoreThanAYearAreNamed) {
  const auto at = [](const std::string& day) {
    return "10.0.0.1 - - [" + day +
           ":12:00:00 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"-\" 0.000\n";
  };
  const std::string usual = at("06/Feb/2009");
  const std::string early = at("01/Apr/2008");
  const std::string late = at("01/Dec/2009");
  for (const auto& [text, told] :
       {std::pair(usual + "\n\n" + early + "\n" + late,
                  "access.log:6: time: \"2009-12-01T12:00:00Z\": want at most a year after "
                  "2008-04-01T12:00:00Z of line 4"),
        std::pair(usual + "\n\n" + late + "\n" + early,
                  "access.log:6: time: \"2008-04-01T12:00:00Z\": want at most a year before "
                  "2009-12-01T12:00:00Z of line 4")}) {
    for (const auto& log : read_in_all_parts(text)) {
      ASSERT_FALSE(log);
      EXPECT_EQ(to_string(log.error()), told);
    }
  }
}

TEST(AccessLog, ALineThatCannotBeReadIsNamed) {
  const std::string good = line_at("12:00:01", "0.010");
  EXPECT_EQ(problem(good + "10.0.0.1 - - [06/Feb/2009:12:0\n" + good),
            "access.log:2: time: \"06/Feb/2009:12:0\": want a time in brackets");
  EXPECT_EQ(problem(good + line_at("12:00:61", "0.010")),
            "access.log:2: time: \"06/Feb/2009:12:00:61 +0000\": want a time such as "
            "06/Feb/2009:12:14:14 +0100");
  EXPECT_EQ(problem(good + line_at("12:00:02", "")),
            "access.log:2: \"10.0.0.1 - - [06/Feb/2009:12:00:02 +0000] \"GET / HTTP/1.1\" 200 612 "
            "\"-\" \"-\" \": a line of nginx or Apache without durations: want nginx with "
            "$request_time as in the lines before; a file has one format");
  EXPECT_EQ(problem(good + kEnvoy + "\n"),
            "access.log:2: \"" + kEnvoy.substr(0, 77) +
                "...\": a line of Envoy in JSON: want nginx with $request_time as in the lines "
                "before; a file has one format");
}

TEST(AccessLog, AFewLinesThatCannotBeReadAreLeftOut) {
  const auto log = read(many(2000) + "\x16\x03 cut\n");
  ASSERT_TRUE(log) << to_string(log.error());
  EXPECT_EQ(log->requests, 2000U);
  ASSERT_EQ(log->notes.size(), 1U);
  EXPECT_EQ(log->notes[0],
            "1 line cannot be read; line 2001: line: \"\\x16\\x03 cut\": want ADDRESS - USER "
            "[TIME] \"REQUEST\" ....");
}

TEST(AccessLog, OtherContentIsNamed) {
  EXPECT_NE(problem(std::string("\xff\xfe"
                                "1\0",
                                4))
                .find("access.log:1: "),
            std::string::npos);
  EXPECT_NE(problem(std::string("\xff\xfe"
                                "1\0",
                                4))
                .find("want UTF-8, and this is UTF-16"),
            std::string::npos);
  EXPECT_NE(problem("\x28\xb5\x2f\xfd...").find("this is zstd"), std::string::npos);
  EXPECT_NE(problem(std::string("a\0b\0", 4)).find("without zero bytes"), std::string::npos);
  EXPECT_NE(problem("hello\n").find("access.log:1: \"hello\": want a trace (docs/simulate.md), or "
                                    "a line of an access log of nginx"),
            std::string::npos);
}

TEST(AccessLog, AMarkOfUtf8AndBytesOfLatin1AreNoProblem) {
  const auto log = read("\xef\xbb\xbf" + line_at("12:00:01", "0.010") +
                        "10.0.0.1 - - [06/Feb/2009:12:00:02 +0000] \"GET /caf\xe9 HTTP/1.1\" 200 1 "
                        "\"-\" \"-\" 0.020\n");
  ASSERT_TRUE(log) << to_string(log.error());
  EXPECT_EQ(log->requests, 2U);
}

TEST(AccessLog, TimesThatJumpCountAtTheirOwnAndAreTold) {
  const std::string text =
      line_at("12:00:00", "0.010") + line_at("15:30:00", "0.010") + line_at("14:00:00", "0.010");
  for (const std::size_t part_at : {std::size_t{0}, text.find('\n') + 1, text.rfind("10.0.0.1")}) {
    const auto log = read(text, part_at);
    ASSERT_TRUE(log) << to_string(log.error());
    EXPECT_EQ(log->traffic.length, 3h + 30min);
    EXPECT_EQ(log->notes, (std::vector<std::string>{
                              "The time goes back at 1 line; line 3: 2009-02-06T14:00:00Z after "
                              "2009-02-06T15:30:00Z. Each request counts at its own time.",
                              "The longest gap is 3h30m; line 2: 2009-02-06T15:30:00Z after "
                              "2009-02-06T12:00:00Z. It counts as time without requests."}));
  }
}

TEST(AccessLog, AJumpIsToldWithItsOwnLineWhereverPartsBegin) {
  const std::string text = line_at("12:00:00", "0.010") + "\n\n\n" + line_at("11:00:00", "0.010") +
                           "\n" + line_at("15:00:00", "0.010");
  for (const auto& log : read_in_all_parts(text)) {
    ASSERT_TRUE(log) << to_string(log.error());
    ASSERT_EQ(log->notes.size(), 2U);
    EXPECT_NE(log->notes[0].find("; line 5: 2009-02-06T11:00:00Z after"), std::string::npos)
        << log->notes[0];
    EXPECT_NE(log->notes[1].find("; line 7: 2009-02-06T15:00:00Z after"), std::string::npos)
        << log->notes[1];
  }
}

TEST(AccessLog, WhatAServerLogsAtItsStartDoesNotHideTheFormat) {
  std::string start;
  for (int i = 0; i < 150; ++i)
    start += R"({"ts":1233918854.5,"logger":"tls.obtain"})"
             "\n";
  const auto log = read(start + kCaddy + "\n" + kCaddy + "\n");
  ASSERT_TRUE(log) << to_string(log.error());
  EXPECT_EQ(log->requests, 2U);
  EXPECT_EQ(log->notes,
            (std::vector<std::string>{"150 lines are not of a request that a server got."}));
  std::string words;
  for (int i = 0; i < 100; ++i) words += "hello\n";
  EXPECT_NE(problem(words + kCaddy + "\n").find("access.log:1: \"hello\": want a trace"),
            std::string::npos);
}

TEST(AccessLog, ATimeOfAnotherYearIsNamed) {
  const std::string far =
      "10.0.0.1 - - [01/Jan/1970:00:00:00 +0000] \"GET / HTTP/1.1\" 200 612 \"-\" \"-\" 0.010\n";
  EXPECT_TRUE(problem(line_at("12:00:00", "0.010") + far)
                  .starts_with("access.log:2: time: \"10.0.0.1 - - [01/Jan/1970"));
}

TEST(AccessLog, ReversedLinesGiveTheSameTraffic) {
  std::string forward;
  std::string backward;
  for (int minute = 10; minute < 60; ++minute) {
    const std::string line = line_at("12:" + std::to_string(minute) + ":00", "0.010");
    forward += line;
    backward = line + backward;
  }
  EXPECT_EQ(read(forward)->traffic.per_second, read(backward)->traffic.per_second);
}

}  // namespace
}  // namespace bellows::simulator
