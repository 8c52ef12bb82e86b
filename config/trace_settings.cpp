#include "config/trace_settings.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kTracesPath = "/v1/traces";

std::optional<std::string> read_url(std::string_view text) {
  if (!text.empty() && !parse_collector_url(text)) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<CollectorUrl> parse_collector_url(std::string_view text) {
  if (!text.starts_with(kHttp)) return std::nullopt;
  const std::string_view rest = text.substr(kHttp.size());
  const std::size_t slash = rest.find('/');
  const auto endpoint = parse_endpoint(rest.substr(0, slash));
  if (!endpoint || endpoint->is_unix() || endpoint->port == 0 || rest.starts_with(':')) {
    return std::nullopt;
  }
  const std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
  for (const char c : path) {
    if (c <= ' ' || c > '~' || c == '#') return std::nullopt;
  }
  return CollectorUrl{.endpoint = *endpoint,
                      .path = std::string(path.empty() || path == "/" ? kTracesPath : path)};
}

const Schema<TraceSettings>& trace_schema() {
  using Settings = TraceSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> trace;
    trace.group("Traces");
    trace.add(&Settings::sampling,
              {.name = "trace-sampling",
               .bounds = between(0.0, 1.0),
               .help = "Share of the traces begun here (by requests without traceparent or B3 ids) "
                       "that get the sampled flag; that of a caller is kept. Apps follow the flag: "
                       "with 0 most record nothing, with 1 they record what they would without "
                       "Bellows. Set it lower if a collector gets too much."});
    trace.add(&Settings::otlp_endpoint,
              {.name = "otlp-endpoint",
               .format = {.want = "http://HOST:PORT, or http://HOST:PORT/PATH", .read = read_url},
               .help = "Collector that gets a span for each sampled request (OTLP over HTTP with "
                       "JSON; the path is /v1/traces if there is none). Spans that cannot be sent "
                       "are dropped and counted; requests never wait for it.",
               .unset = "no spans are exported"});
    return trace;
  }();
  return schema;
}

}  // namespace bellows::config
