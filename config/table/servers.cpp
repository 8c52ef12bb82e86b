// Settings of the ports for requests, alike in every program that serves them, and logs.
#include <algorithm>

#include "config/access_log_settings.hpp"
#include "config/access_log_template.hpp"
#include "config/log_settings.hpp"
#include "config/server_settings.hpp"
#include "config/table.hpp"
#include "config/text_formats.hpp"
#include "config/tls_settings.hpp"
#include "config/trace_settings.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

constexpr Programs kFronts = Program::kRun | Program::kUp | Program::kActivator;

/// The format of paths with commas between them, none of which is empty; or an empty text.
TextFormat paths_format() {
  return {.want = "paths of PEM files, with commas between them",
          .read = [](std::string_view text) -> std::optional<std::string> {
            const std::vector<std::string> paths = path_list(text);
            const bool has_empty =
                std::ranges::any_of(paths, [](const std::string& path) { return path.empty(); });
            if (!text.empty() && has_empty) return std::nullopt;
            return std::string(text);
          }};
}

std::string template_want() {
  std::string want = "text in which every ${...} is one of";
  for (const std::string_view name : access_field_names()) want += " " + std::string(name);
  return want;
}

std::optional<std::string> read_template(std::string_view text) {
  if (text.find_first_of("\r\n") != std::string_view::npos) return std::nullopt;
  if (!parse_access_template(text)) return std::nullopt;
  return std::string(text);
}

TextFormat template_format() {
  return {.want = template_want(), .read = read_template};
}

std::optional<std::string> read_url(std::string_view text) {
  if (!text.empty() && !parse_collector_url(text)) return std::nullopt;
  return std::string(text);
}

TextFormat collector_format() {
  return {.want = "http://HOST:PORT, or http://HOST:PORT/PATH", .read = read_url};
}

constexpr Setting kTls[] = {
    {.name = "tls",
     .at = {at<&TlsSettings::source>},
     .choices = {{"files", TlsSource::kFiles}, {"self-signed", TlsSource::kSelfSigned}},
     .help = "Source of the certificate for requests. files: tls-certificate or tls-folder; "
             "without them requests use no TLS. self-signed: made at the start, for a first try; "
             "the log has its fingerprint and how curl trusts it."},
    {.name = "tls-certificate",
     .at = {at<&TlsSettings::certificate>},
     .tier = Tier::kMain,
     .format = paths_format,
     .help = "PEM file with the certificate of the port for requests and its chain, the "
             "host's own first. With several a caller gets the one for the name that it asks "
             "for, others the first. Files are read again when they change, and at SIGHUP."},
    {.name = "tls-key",
     .at = {at<&TlsSettings::key>},
     .tier = Tier::kMain,
     .format = paths_format,
     .help = "PEM file with the key of tls-certificate, without a password; "
             "as many as certificates, in their order."},
    {.name = "tls-folder",
     .at = {at<&TlsSettings::folder>},
     .tier = Tier::kMain,
     .help = "Folder of certificates and keys for requests: NAME.crt or NAME.pem with "
             "NAME.key, tls.crt with tls.key (a secret of Kubernetes), or fullchain.pem with "
             "privkey.pem (certbot), in it and in its sub-folders. Callers who name no host "
             "get the one called default, else tls, else the first by name."},
    {.name = "tls-minimum-version",
     .at = {at<&TlsSettings::minimum_version>},
     .choices = {{"1.2", TlsVersion::k12}, {"1.3", TlsVersion::k13}},
     .help = "Lowest version of TLS that callers may use. Set it to 1.3 if no caller "
             "is older than 2018."},
    {.name = "tls-client-ca",
     .at = {at<&TlsSettings::client_ca>},
     .help = "PEM file with CAs: callers present a certificate of one of them, and apps get "
             "its hash, subject and names in X-Forwarded-Client-Cert, which no caller can "
             "set itself. Unset: no certificate is requested."},
    {.name = "tls-client-certificate",
     .at = {at<&TlsSettings::client_certificate>},
     .choices = {{"required", ClientCertificate::kRequired},
                 {"optional", ClientCertificate::kOptional}},
     .help = "With tls-client-ca: whether callers without a certificate are refused in "
             "the handshake, or served without that header."},
    {.name = "tls-handshake-timeout",
     .at = {at<&TlsSettings::handshake_timeout>},
     .bounds = between(1s, 5min),
     .help = "A caller whose TLS handshake takes longer is disconnected. It holds no slot "
             "meanwhile."},
    {.name = "hsts",
     .at = {at<&TlsSettings::hsts>},
     .bounds = in_whole_seconds(between(0s, 17520h)),
     .help = "Browsers that had a response by TLS use only TLS for this host for so long: "
             "max-age of Strict-Transport-Security in responses whose app does not set it. "
             "Browsers remember it, so start with minutes. 0s: no response gets it."},
    {.name = "redirect-listen",
     .at = {at<&TlsSettings::redirect_listen>},
     .help = "Second address, for plain http: every request is redirected to https (308), "
             "except those of acme-folder.",
     .unset = "there is none"},
    {.name = "redirect-port",
     .at = {at<&TlsSettings::redirect_port>},
     .bounds = between(1, 65535),
     .help = "Port of the https addresses in redirects. Set it if a load balancer or a "
             "container maps another one to listen.",
     .unset = "that of listen"},
    {.name = "acme-folder",
     .at = {at<&TlsSettings::acme_folder>},
     .help = "Folder whose challenges are served below /.well-known/acme-challenge/ at "
             "redirect-listen: certbot's --webroot-path, or where another client writes its "
             "tokens. Only files with names of letters, digits, - and _ are, and they are "
             "only read.",
     .unset = "none is served"},
};

constexpr Setting kServer[] = {
    {.name = "max-connections",
     .at = {at<&ServerSettings::max_connections>},
     .bounds = between(1, 1'000'000),
     .help = "Maximum number of callers' connections; fewer if the limit of descriptors "
             "(nofile) has no room for two each. At the limit a new one replaces the one "
             "that has been without a request the longest; if all have one, the next "
             "response is the last of its connection."},
    {.name = "max-connections-per-client",
     .at = {at<&ServerSettings::max_client_connections>},
     .bounds = between(0, 1'000'000),
     .help = "Maximum number of connections from one address (of IPv6, one /64 network); "
             "more are closed at once. Callers behind one proxy or gateway have one "
             "address. 0: no limit."},
    {.name = "idle-timeout",
     .at = {at<&ServerSettings::idle_timeout>},
     .bounds = between(1s, 24h),
     .help = "A caller's connection without a request is closed after this time. Set it "
             "above that of the load balancer in front, so that the balancer closes "
             "first."},
    {.name = "max-connection-age",
     .at = {at<&ServerSettings::max_connection_age>},
     .bounds = between(0s, 168h),
     .help = "A caller's connection ends after this time, give or take a tenth: over "
             "HTTP/2 with GOAWAY, over HTTP/1.1 with its next response. So callers with "
             "long connections find new replicas and new addresses. 0: no limit."},
    {.name = "max-header-bytes",
     .at = {at<&ServerSettings::max_header_bytes>},
     .bounds = between(kibibytes(1), mebibytes(1)),
     .help = "Maximum size of a start line and its headers together. A longer request line "
             "gets 414, larger headers of a request get 431, of an app's response 502. "
             "Memory is taken as a head grows, not before."},
    {.name = "max-header-lines",
     .at = {at<&ServerSettings::max_header_lines>},
     .bounds = between(8, 1000),
     .help = "Maximum number of header lines of a message; of a request more get 431, of "
             "an app's response 502."},
    {.name = "min-body-rate",
     .at = {at<&ServerSettings::min_body_rate>},
     .bounds = between(Bytes{0}, mebibytes(1)),
     .help = "Bytes a second at which the body of a request has to arrive until the "
             "response begins; a caller that falls behind by 30s gets 408. Time in which "
             "the app does not read does not count. 0: no limit; set it where callers "
             "send parts of a body with long pauses."},
    {.name = "upgrade-protocols",
     .at = {at<&ServerSettings::upgrade_protocols>},
     .format = upgrade_list_format,
     .help = "Protocols to which a connection may switch (Upgrade). A request for another "
             "one is served as HTTP/1.1. HTTP/2 (h2c) cannot be listed: its requests "
             "would bypass the rules for header fields."},
    {.name = "trusted-proxies",
     .at = {at<&ServerSettings::trusted_proxies>},
     .format = proxy_list_format,
     .help = "Networks of proxies whose Forwarded and X-Forwarded-* are kept and "
             "extended. Those of other callers are replaced, because anybody can write "
             "them. private: loopback, private, unique local and link-local networks; "
             "none: replace them always. A Unix socket's callers are trusted."},
};

constexpr Setting kLog[] = {
    {.name = "log-format",
     .at = {at<&LogSettings::format>},
     .tier = Tier::kMain,
     .choices = {{"plain", LogFormat::kPlain}, {"json", LogFormat::kJson}},
     .help = "Plain text for people, or one JSON object per line."},
    {.name = "log-level",
     .at = {at<&LogSettings::level>},
     .tier = Tier::kMain,
     .choices = {{"debug", LogLevel::kDebug},
                 {"info", LogLevel::kInfo},
                 {"warning", LogLevel::kWarning},
                 {"error", LogLevel::kError},
                 {"off", LogLevel::kOff}},
     .help = "Minimum level of the lines that are written."},
};

constexpr Setting kAccessLog[] = {
    {.name = "access-log",
     .at = {at<&AccessLogSettings::enabled>},
     .tier = Tier::kMain,
     .help = "Write a line to standard output for each completed request."},
    {.name = "access-log-template",
     .at = {at<&AccessLogSettings::line>},
     .format = template_format,
     .help = "Template of a line. Values are escaped as in JSON strings.",
     .unset = "a JSON object with every field"},
    {.name = "access-log-probes",
     .at = {at<&AccessLogSettings::probes>},
     .help = "Write a line for probes too."},
};

constexpr Setting kTraces[] = {
    {.name = "trace-sampling",
     .at = {at<&TraceSettings::sampling>},
     .bounds = between(0.0, 1.0),
     .help = "Share of the traces begun here (by requests without traceparent or B3 ids) "
             "that get the sampled flag; that of a caller is kept. Apps follow the flag: "
             "with 0 most record nothing, with 1 they record what they would without "
             "Bellows. Set it lower if a collector gets too much."},
    {.name = "otlp-endpoint",
     .at = {at<&TraceSettings::otlp_endpoint>},
     .tier = Tier::kMain,
     .format = collector_format,
     .help = "Collector that gets a span for each sampled request (OTLP over HTTP with "
             "JSON; the path is /v1/traces if there is none). Spans that cannot be sent "
             "are dropped and counted; requests never wait for it.",
     .unset = "no spans are exported"},
};

}  // namespace

std::span<const Group> server_groups() {
  static constexpr Group kGroups[] = {
      {"TLS", kFronts, kTls},
      {"Connections and messages", kProxies, kServer},
      {"Log", kProxies | Program::kAutoscaler | Program::kRecommenderServe, kLog},
      {"Access log", kProxies, kAccessLog},
      {"Traces", kProxies, kTraces},
  };
  return kGroups;
}

}  // namespace bellows::config
