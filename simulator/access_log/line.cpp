#include "simulator/access_log/line.hpp"

#include <algorithm>
#include <array>

#include "base/read_number.hpp"
#include "json/members.hpp"
#include "simulator/access_log/fields.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;
using json::Member;
using json::without_quotes;

constexpr std::string_view kWantDate = "a time such as 06/Feb/2009:12:14:14 +0100";
constexpr std::string_view kWantInstant = "a time such as 2009-02-06T12:14:14.655Z";
constexpr std::string_view kWantSeconds = "seconds such as 0.012";

LineResult wrong(std::string_view field, std::string_view value, std::string_view want) {
  return tl::unexpected(LineProblem{field, value, want});
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns true for "0.012": one point with digits on both sides.
bool is_decimal(std::string_view text) {
  const auto point = text.find('.');
  return point != std::string_view::npos && is_digits(text.substr(0, point)) &&
         is_digits(text.substr(point + 1));
}

/// Returns true for a decimal with three digits behind the point, as nginx writes $request_time.
bool is_request_time(std::string_view text) {
  return is_decimal(text) && text.size() - text.find('.') == std::string_view(".012").size();
}

// nginx, Apache and the CLF of Traefik: ADDRESS - USER [TIME] "REQUEST" STATUS BYTES, then more.

/// What stands behind the bytes of a response.
struct Tail {
  std::string_view decimal;  ///< the first number with a fraction, one without quotes if there is
  std::string_view whole;    ///< the only whole number
  std::string_view milliseconds;  ///< "12ms" at the end, without its unit
};

/// Takes referer and user agent if both are there: callers write into them what they like.
LogFields behind_agent(LogFields fields) {
  LogFields behind = fields;
  return behind.quoted() && behind.quoted() ? behind : fields;
}

/// Reads `fields`, which begin behind the bytes. Further texts in quotes may be of the caller too
/// (X-Forwarded-For), so they count last, and only as nginx writes a time.
Tail tail_of(LogFields fields) {
  fields = behind_agent(fields);
  Tail tail;
  std::string_view quoted_time;
  int whole_numbers = 0;
  while (!fields.at_end()) {
    const bool is_text = fields.next() == '"';
    const auto text = fields.quoted();
    std::string_view field = text ? *text : fields.word();
    bool is_quoted = is_text;
    if (const auto label = field.find('='); !is_text && label != std::string_view::npos) {
      const std::string_view value = field.substr(label + 1);  // rt=0.012, rt="0.012"
      is_quoted = value.starts_with('"');
      field = without_quotes(value);
    }
    tail.milliseconds = {};
    if (is_quoted && quoted_time.empty() && is_request_time(field)) quoted_time = field;
    if (!is_quoted && tail.decimal.empty() && is_decimal(field)) tail.decimal = field;
    if (!is_text && is_digits(field))
      tail.whole = ++whole_numbers == 1 ? field : std::string_view();
    if (!is_text && field.ends_with("ms") && is_digits(field.substr(0, field.size() - 2))) {
      tail.milliseconds = field.substr(0, field.size() - 2);
    }
  }
  if (tail.decimal.empty()) tail.decimal = quoted_time;
  return tail;
}

/// Takes the duration from the tail of a line. nginx writes the end of a request as its time,
/// Apache and Traefik its begin.
LineResult with_duration(LogFormat format, LogRecord record, const Tail& tail) {
  if (format == LogFormat::kNginxTimed) {
    record.service = read_log_duration(tail.decimal, 1s);
    if (!record.service) return wrong("$request_time", tail.decimal, kWantSeconds);
    record.arrival -= *record.service;
  } else if (format == LogFormat::kApacheTimed) {
    record.service = read_log_duration(tail.whole, 1us);
    if (!record.service) return wrong("%D", tail.whole, "one number of microseconds");
    record.logged += *record.service;
  } else {
    record.service = read_log_duration(tail.milliseconds, 1ms);
    if (!record.service) return wrong("duration", tail.milliseconds, "a duration such as 12ms");
    record.logged += *record.service;
  }
  return record;
}

struct CommonLine {
  LogRecord record;
  LogFields tail;
};

tl::expected<CommonLine, LineProblem> read_common(std::string_view line) {
  LogFields fields(line);
  const auto problem = [](std::string_view field, std::string_view value, std::string_view want) {
    return tl::unexpected(LineProblem{field, value, want});
  };
  const auto who = fields.until(" [");
  if (!who || who->empty()) return problem("line", line, "ADDRESS - USER [TIME] \"REQUEST\" ...");
  const auto time = fields.until("] ");
  if (!time) return problem("time", fields.rest(), "a time in brackets");
  const auto at = read_log_date(*time);
  if (!at) return problem("time", *time, kWantDate);
  const std::string_view before_request = fields.rest();
  if (!fields.quoted()) return problem("request", before_request, "\"GET / HTTP/1.1\" in quotes");
  const std::string_view status = fields.word();
  if (status.size() != 3 || !is_digits(status)) return problem("status", status, "three digits");
  const std::string_view bytes = fields.word();
  if (bytes != "-" && !is_digits(bytes)) return problem("bytes", bytes, "a whole number or -");
  return CommonLine{{.logged = *at, .arrival = *at}, fields};
}

LineResult read_common_line(LogFormat format, std::string_view line) {
  const auto read = read_common(line);
  if (!read) return tl::unexpected(read.error());
  if (format == LogFormat::kCombined) return read->record;
  return with_duration(format, read->record, tail_of(read->tail));
}

std::optional<LogFormat> common_format_of(std::string_view line) {
  const auto read = read_common(line);
  if (!read) return std::nullopt;
  const Tail tail = tail_of(read->tail);
  if (!tail.milliseconds.empty()) return LogFormat::kTraefikCommon;
  if (!tail.decimal.empty()) return LogFormat::kNginxTimed;
  return tail.whole.empty() ? LogFormat::kCombined : LogFormat::kApacheTimed;
}

// HAProxy: CLIENT [TIME] FRONTEND BACKEND/SERVER TR/Tw/Tc/Tr/Ta STATUS BYTES ...

/// The times of a request in milliseconds: until it is there, in the queue, and in all; -1 where it
/// did not come so far. With option logasap the last one begins with a plus.
struct HaproxyTimes {
  std::int64_t received = 0;
  std::int64_t queued = 0;
  std::int64_t total = 0;
};

std::optional<HaproxyTimes> haproxy_times(std::string_view text) {
  std::array<std::int64_t, 5> times{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto slash = text.find('/');
    if ((slash == std::string_view::npos) != (i + 1 == times.size())) return std::nullopt;
    std::string_view part = text.substr(0, slash);
    if (part.starts_with('+')) part.remove_prefix(1);
    if (part != "-1") {
      const auto time = is_digits(part) ? read_log_duration(part, 1ms) : std::nullopt;
      if (!time) return std::nullopt;
      times.at(i) = to_milliseconds(*time);
    }
    text.remove_prefix(slash == std::string_view::npos ? text.size() : slash + 1);
  }
  return HaproxyTimes{.received = times[0], .queued = times[1], .total = times[4]};
}

LineResult read_haproxy_line(std::string_view line) {
  LogFields fields(line);
  const auto client = fields.until(" [");
  if (!client) return wrong("line", line, "CLIENT:PORT [TIME] FRONTEND BACKEND/SERVER ...");
  const auto time = fields.until("] ");
  const auto at = read_log_date(time.value_or(fields.rest()));
  if (!at) return wrong("time", time.value_or(fields.rest()), kWantDate);
  fields.word();  // the frontend
  const std::string_view server = fields.word();
  if (server.find('/') == std::string_view::npos) return wrong("server", server, "BACKEND/SERVER");
  const std::string_view text = fields.word();
  const auto times = haproxy_times(text);
  if (!times) return wrong("times", text, "five numbers of milliseconds such as 10/0/30/69/109");
  const std::string_view status = fields.word();
  if (status != "-1" && (status.size() != 3 || !is_digits(status))) {
    return wrong("status", status, "three digits");
  }
  const Duration before = std::chrono::milliseconds(times->received);
  const Duration service = std::chrono::milliseconds(times->total - times->queued) - before;
  const Duration after = std::chrono::milliseconds(std::max(times->total, times->received));
  return LogRecord{.logged = *at + after,
                   .arrival = *at + before,
                   .service = std::max(service, Duration::zero()),
                   .is_served = !server.ends_with("/<NOSRV>")};
}

// ALB: TYPE TIME NAME CLIENT TARGET REQUEST-TIME TARGET-TIME RESPONSE-TIME STATUS ...

bool is_alb_type(std::string_view type) {
  return type == "http" || type == "https" || type == "h2" || type == "grpcs" || type == "ws" ||
         type == "wss";
}

LineResult read_alb_line(std::string_view line) {
  LogFields fields(line);
  const std::string_view type = fields.word();
  if (!is_alb_type(type)) return wrong("type", type, "http, https, h2, grpcs, ws or wss");
  const std::string_view time = fields.word();
  const auto at = read_log_instant(time);
  if (!at) return wrong("time", time, kWantInstant);
  for (int i = 0; i < 3; ++i) fields.word();  // the balancer, client and target
  LogRecord record{.logged = *at, .arrival = *at, .service = Duration::zero()};
  static constexpr std::array<std::string_view, 3> kNames = {
      "request_processing_time", "target_processing_time", "response_processing_time"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const std::string_view text = fields.word();
    if (text == "-1") {  // no target got it
      record.is_served = false;
      continue;
    }
    const auto part = read_log_duration(text, 1s);
    if (!part) return wrong(kNames.at(i), text, "seconds such as 0.012, or -1");
    record.arrival -= *part;
    if (i > 0) *record.service += *part;
  }
  return record;
}

// JSON.

LineResult not_an_object(std::string_view line) {
  return wrong("line", line, "one whole object of JSON");
}

std::optional<Duration> json_instant(std::string_view value) {
  if (value.starts_with('"')) return read_log_instant(without_quotes(value));
  const auto point = value.find('.');
  const auto whole = read_number<std::int64_t>(value.substr(0, point));
  constexpr std::int64_t kMost = 9'000'000'000;  // the year 2255
  if (!whole || *whole < 0 || *whole > kMost) return std::nullopt;
  const auto fraction = point == std::string_view::npos
                            ? Duration::zero()
                            : read_log_duration(value.substr(point), 1s);
  return fraction ? std::optional(std::chrono::seconds(*whole) + *fraction) : std::nullopt;
}

LineResult read_caddy_line(std::string_view line) {
  std::array<Member, 4> members = {{{"ts", {}}, {"duration", {}}, {"request", {}}, {"logger", {}}}};
  if (!json::find_members(line, members)) return not_an_object(line);
  const auto& [ts, duration, request, logger] = members;
  const auto at = json_instant(ts.value);
  if (!at) return wrong("ts", ts.value, "seconds since 1970, or a time in RFC 3339");
  LogRecord record{.logged = *at, .arrival = *at};
  // The loggers of errors and of reverse_proxy tell the duration of a request too.
  const bool is_access =
      logger.value.empty() || without_quotes(logger.value).starts_with("http.log.access");
  if (!is_access || duration.value.empty() || request.value.empty()) {
    record.is_served = false;
    return record;
  }
  record.service = read_log_duration(duration.value, 1s);
  if (!record.service && duration.value.starts_with('"')) {
    record.service = read_go_duration(without_quotes(duration.value));
  }
  if (!record.service) return wrong("duration", duration.value, kWantSeconds);
  record.arrival -= *record.service;
  return record;
}

LineResult read_traefik_line(std::string_view line) {
  std::array<Member, 3> members = {{{"StartUTC", {}}, {"Duration", {}}, {"OriginDuration", {}}}};
  if (!json::find_members(line, members)) return not_an_object(line);
  const auto& [start, duration, origin] = members;
  const auto at = json_instant(start.value);
  if (!at) return wrong("StartUTC", start.value, kWantInstant);
  const bool has_origin = !origin.value.empty();
  const auto service = read_log_duration(has_origin ? origin.value : duration.value, 1ns);
  if (!service) {
    return wrong(has_origin ? "OriginDuration" : "Duration",
                 has_origin ? origin.value : duration.value, "nanoseconds");
  }
  return LogRecord{.logged = *at + *service,
                   .arrival = *at,
                   .service = service,
                   .is_served = !has_origin || *service > Duration::zero()};
}

LineResult read_envoy_line(std::string_view line) {
  std::array<Member, 3> members = {{{"start_time", {}}, {"duration", {}}, {"upstream_host", {}}}};
  if (!json::find_members(line, members)) return not_an_object(line);
  const auto& [start, duration, host] = members;
  const auto at = json_instant(start.value);
  if (!at) return wrong("start_time", start.value, kWantInstant);
  LogRecord record{.logged = *at, .arrival = *at};
  record.is_served = host.value != "null" && host.value != "\"-\"";
  record.service = read_log_duration(without_quotes(duration.value), 1ms);
  if (!record.service && record.is_served) {
    return wrong("duration", duration.value, "milliseconds such as 12");
  }
  record.logged += record.service.value_or(Duration::zero());
  return record;
}

std::optional<LogFormat> json_format_of(std::string_view line) {
  std::array<Member, 6> members = {{{"ts", {}},
                                    {"request", {}},
                                    {"StartUTC", {}},
                                    {"Duration", {}},
                                    {"start_time", {}},
                                    {"duration", {}}}};
  if (!json::find_members(line, members)) return std::nullopt;
  const auto has = [&](std::size_t member) { return !members.at(member).value.empty(); };
  if (has(0) && has(1) && has(5)) return LogFormat::kCaddyJson;
  if (has(2) && has(3)) return LogFormat::kTraefikJson;
  if (has(4) && has(5)) return LogFormat::kEnvoyJson;
  return std::nullopt;
}

}  // namespace

std::string_view to_string(LogFormat format) {
  static constexpr std::array<std::string_view, 9> kNames = {"nginx or Apache without durations",
                                                             "nginx with $request_time",
                                                             "Apache with %D",
                                                             "Traefik",
                                                             "HAProxy",
                                                             "AWS ALB",
                                                             "Caddy",
                                                             "Traefik in JSON",
                                                             "Envoy in JSON"};
  return kNames.at(static_cast<std::size_t>(format));
}

LineResult read_log_line(LogFormat format, std::string_view line) {
  switch (format) {
    case LogFormat::kCombined:
    case LogFormat::kNginxTimed:
    case LogFormat::kApacheTimed:
    case LogFormat::kTraefikCommon:
      return read_common_line(format, line);
    case LogFormat::kHaproxy:
      return read_haproxy_line(line);
    case LogFormat::kAlb:
      return read_alb_line(line);
    case LogFormat::kCaddyJson:
      return read_caddy_line(line);
    case LogFormat::kTraefikJson:
      return read_traefik_line(line);
    case LogFormat::kEnvoyJson:
      return read_envoy_line(line);
  }
  return not_an_object(line);
}

std::optional<LogFormat> log_format_of(std::string_view line) {
  if (line.starts_with('{')) return json_format_of(line);
  if (const auto common = common_format_of(line)) return common;
  if (read_haproxy_line(line)) return LogFormat::kHaproxy;
  if (read_alb_line(line)) return LogFormat::kAlb;
  return std::nullopt;
}

}  // namespace bellows::simulator
