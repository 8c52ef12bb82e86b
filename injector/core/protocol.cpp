#include "injector/core/protocol.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/text_parts.hpp"

namespace bellows::injector {

namespace {

constexpr auto kHttpWords = std::to_array<std::string_view>(
    {"http", "http1", "ws", "websocket", "web", "www", "api", "rest", "graphql", "http-alt",
     "kubernetes.io/ws", "grpc-web", "httpd", "website"});
constexpr auto kHttp2Words = std::to_array<std::string_view>(
    {"h2c", "http2", "grpc", "kubernetes.io/h2c", "connect", "grpcapi"});
constexpr auto kTlsWords =
    std::to_array<std::string_view>({"https", "tls", "wss", "ssl", "grpcs", "kubernetes.io/wss"});
constexpr auto kOtherWords = std::to_array<std::string_view>(
    {"tcp",       "udp",      "sctp",       "redis",     "redisdb", "mysql",     "mysqlx",
     "mariadb",   "postgres", "postgresql", "pg",        "pgsql",   "psql",      "mongo",
     "mongodb",   "sql",      "mssql",      "oracle",    "tds",     "jdbc",      "odbc",
     "cassandra", "cql",      "thrift",     "amqp",      "amqps",   "mqtt",      "mqtts",
     "stomp",     "kafka",    "broker",     "zookeeper", "zk",      "nats",      "memcache",
     "memcached", "etcd",     "ldap",       "ldaps",     "smtp",    "imap",      "pop3",
     "ssh",       "sftp",     "ftp",        "dns",       "ntp",     "sip",       "rtmp",
     "rtsp",      "nfs",      "smb",        "fastcgi",   "fcgi",    "transport", "hazelcast",
     "gossip",    "raft",     "peer",       "epmd",      "bolt",    "election"});

template <std::size_t kSize>
bool has(const std::array<std::string_view, kSize>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

Protocol protocol_of_word(std::string_view word) {
  if (has(kHttpWords, word)) return Protocol::kHttp;
  if (has(kHttp2Words, word)) return Protocol::kHttp2;
  if (has(kTlsWords, word)) return Protocol::kTls;
  if (has(kOtherWords, word)) return Protocol::kOther;
  return Protocol::kUnknown;
}

constexpr auto kHttpPorts = std::to_array<std::uint16_t>(
    {80,   81,   82,   591,  1313, 2368, 3000, 3001, 3002, 3003,  3100,  4000,  4200,
     4318, 4567, 5000, 5001, 5173, 5601, 5984, 7474, 8000, 8001,  8002,  8008,  8079,
     8080, 8081, 8082, 8083, 8084, 8085, 8086, 8087, 8088, 8089,  8090,  8123,  8161,
     8280, 8500, 8765, 8880, 8888, 8983, 9080, 9200, 9411, 11434, 15672, 16686, 8181});
constexpr auto kHttp2Ports = std::to_array<std::uint16_t>({4317, 50051, 50052});
constexpr auto kTlsPorts =
    std::to_array<std::uint16_t>({443, 465, 636, 990, 993, 995, 2376, 5061, 5671, 6443, 8443, 8883,
                                  9443, 4443, 10250, 10257, 10258, 10259, 10260});
constexpr auto kOtherPorts = std::to_array<std::uint16_t>(
    {21,    22,    23,    25,    53,    88,    110,   111,   123,   135,   139,   143,   179,
     389,   445,   514,   554,   587,   873,   1433,  1521,  1883,  1935,  2049,  2181,  2182,
     2379,  2380,  2888,  3260,  3306,  3307,  3389,  3478,  3888,  4150,  4160,  4222,  4369,
     5044,  5060,  5222,  5432,  5433,  5672,  5701,  5702,  6222,  6379,  6380,  6432,  6650,
     7199,  7687,  7946,  8300,  8301,  8302,  9042,  9092,  9094,  9160,  9300,  9301,  9418,
     11210, 11211, 16379, 25672, 26379, 26257, 27017, 27018, 27019, 28015, 33060, 61613, 61616});

template <std::size_t kSize>
bool has(const std::array<std::uint16_t, kSize>& ports, std::int64_t port) {
  return std::ranges::find(ports, port) != ports.end();
}

constexpr auto kOtherImages = std::to_array<std::string_view>(
    {"redis",     "valkey",       "keydb",      "dragonfly", "memcached", "mysql",    "mariadb",
     "percona",   "postgres",     "postgresql", "postgis",   "pgbouncer", "pgvector", "timescaledb",
     "mongo",     "mongodb",      "cassandra",  "scylla",    "zookeeper", "kafka",    "rabbitmq",
     "nats",      "etcd",         "hazelcast",  "mosquitto", "emqx",      "activemq", "pulsar",
     "bind9",     "coredns",      "openldap",   "postfix",   "openssh",   "vsftpd",   "cockroach",
     "rethinkdb", "foundationdb", "aerospike"});
constexpr auto kHttpImages = std::to_array<std::string_view>(
    {"nginx", "httpd", "apache", "caddy", "traefik", "tomcat", "jetty", "wordpress", "grafana",
     "jenkins", "gitea", "echo", "httpbin", "http", "whoami", "nextcloud"});

constexpr auto kManagementParts =
    std::to_array<std::string_view>({"metric", "prometheus", "admin", "health", "probe"});
constexpr auto kManagementWords = std::to_array<std::string_view>(
    {"liveness", "readiness", "monitor", "monitoring", "telemetry", "exporter", "pprof", "debug",
     "jmx", "management", "mgmt", "stats"});

/// Prometheus in short, at any place in a word: promhttp, httpprom. The words that begin so go on
/// in one of these ways: promo and promotions, promise and compromise, prompt, prominent,
/// promenade.
bool means_prometheus(std::string_view name) {
  constexpr std::string_view kProm = "prom";
  static constexpr std::string_view kOrdinary[] = {"o", "is", "pt", "ine", "ena"};
  for (std::size_t at = name.find(kProm); at != std::string_view::npos;
       at = name.find(kProm, at + 1)) {
    const std::string_view rest = name.substr(at + kProm.size());
    const auto goes_on = [rest](std::string_view end) { return rest.starts_with(end); };
    if (std::ranges::none_of(kOrdinary, goes_on)) return true;
  }
  return false;
}

/// The last part of its path, without tag and digest.
std::string program_of(std::string_view image) {
  image = image.substr(0, image.find('@'));
  if (const std::size_t slash = image.rfind('/'); slash != std::string_view::npos) {
    image.remove_prefix(slash + 1);
  }
  return lower_case(image.substr(0, image.find(':')));
}

}  // namespace

Protocol protocol_of_name(std::string_view name) {
  const std::string words = lower_case(name);
  const std::string_view all = words;
  if (all.starts_with("grpc-web")) return Protocol::kHttp;
  const Protocol first = protocol_of_word(all.substr(0, all.find('-')));
  if (first != Protocol::kUnknown) return first;
  const std::size_t dash = all.rfind('-');
  return dash == std::string_view::npos ? first : protocol_of_word(all.substr(dash + 1));
}

bool is_scheme_name(std::string_view name) {
  static constexpr auto kSchemes = std::to_array<std::string_view>({"https", "wss", "grpcs"});
  const std::string text = lower_case(name);
  const std::string_view all = text;
  const std::string_view first = all.substr(0, all.find('-'));
  if (protocol_of_word(first) != Protocol::kUnknown) return has(kSchemes, first);
  return has(kSchemes, all.substr(std::min(all.rfind('-'), all.size() - 1) + 1));
}

Protocol protocol_of_app(std::string_view app_protocol) {
  const Protocol said = protocol_of_word(lower_case(app_protocol));
  return said == Protocol::kUnknown ? Protocol::kOther : said;
}

Protocol protocol_of_number(std::int64_t port) {
  if (has(kHttpPorts, port)) return Protocol::kHttp;
  if (has(kHttp2Ports, port)) return Protocol::kHttp2;
  if (has(kTlsPorts, port)) return Protocol::kTls;
  if (has(kOtherPorts, port)) return Protocol::kOther;
  return Protocol::kUnknown;
}

Protocol protocol_of_image(std::string_view image) {
  const std::string program = program_of(image);
  const std::string_view tag = image.substr(std::min(image.rfind(':'), image.size()));
  if (program == "php" && tag.find("fpm") != std::string_view::npos) return Protocol::kOther;
  if (program.ends_with("-fpm")) return Protocol::kOther;
  if (program.ends_with("exporter")) return Protocol::kUnknown;  // of metrics alone
  for (const std::string_view word :
       {std::string_view(program), std::string_view(program).substr(0, program.find('-'))}) {
    if (has(kOtherImages, word)) return Protocol::kOther;
    if (has(kHttpImages, word)) return Protocol::kHttp;
  }
  return Protocol::kUnknown;
}

ProtocolLists protocol_lists() {
  ProtocolLists lists{.http_words = {kHttpWords.begin(), kHttpWords.end()},
                      .other_words = {kTlsWords.begin(), kTlsWords.end()},
                      .http_ports = {kHttpPorts.begin(), kHttpPorts.end()},
                      .management_parts = kManagementParts,
                      .management_words = kManagementWords};
  std::ranges::copy(kHttp2Words, std::back_inserter(lists.http_words));
  std::ranges::copy(kOtherWords, std::back_inserter(lists.other_words));
  std::ranges::copy(kHttp2Ports, std::back_inserter(lists.http_ports));
  return lists;
}

bool is_management_name(std::string_view name) {
  const std::string text = lower_case(name);
  for (const std::string_view part : kManagementParts) {
    if (text.find(part) != std::string::npos) return true;
  }
  if (means_prometheus(text)) return true;
  return std::ranges::any_of(split(text, '-'),
                             [](std::string_view word) { return has(kManagementWords, word); });
}

}  // namespace bellows::injector
