// Which port takes the requests, or why none does: one table of pods as they are in the field.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "injector/core/protocol.hpp"
#include "tests/unit/injector/injecting.hpp"

namespace bellows::injector {
namespace {

using testing::HasSubstr;

/// One Deployment with its Services, in short.
struct Case {
  std::string image;
  std::string ports;     ///< "NAME NUMBER; ...", "-" for no name
  std::string probes;    ///< "KIND ACTION PORT; ...", HTTPS as a fourth word
  std::string services;  ///< "NAME PORT TARGET; ...", appProtocol as a fourth word
  std::string expected;  ///< the port, or "skipped: REASON" or "refused: REASON"
};

std::vector<std::vector<std::string>> words_of(const std::string& text) {
  std::vector<std::vector<std::string>> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    std::istringstream words(part);
    all.emplace_back();
    for (std::string word; words >> word;) all.back().push_back(word);
  }
  return all;
}

std::string named(const std::string& name) {
  return name == "-" ? "" : "name: " + name + ", ";
}

std::string text_of(const Case& each) {
  std::string text = deployment_of("      containers:\n      - name: app\n        image: " +
                                   (each.image.empty() ? "a" : each.image) + "\n");
  if (!each.ports.empty()) text += "        ports:\n";
  for (const auto& port : words_of(each.ports)) {
    text += "        - {" + named(port.at(0)) + "containerPort: " + port.at(1) + "}\n";
  }
  for (const auto& probe : words_of(each.probes)) {
    const std::string scheme = probe.size() > 3 ? ", scheme: " + probe[3] : "";
    text += "        " + probe.at(0) + "Probe: {" + probe.at(1) + ": {port: " + probe.at(2) +
            scheme + "}}\n";
  }
  std::string ports;
  for (const auto& port : words_of(each.services)) {
    const std::string protocol = port.size() > 3 ? ", appProtocol: " + port[3] : "";
    ports += "  - {" + named(port.at(0)) + "port: " + port.at(1) + ", targetPort: " + port.at(2) +
             protocol + "}\n";
  }
  return ports.empty() ? text : text + service_of(ports);
}

/// The line of the Deployment in the report, as Case::expected has it.
std::string verdict_of(const Case& each) {
  const Output output = injected(text_of(each));
  for (const ReportLine& line : output.lines) {
    if (line.object != "deployment/shop") continue;
    if (line.outcome == Outcome::kSkipped) return "skipped: " + line.what;
    if (line.outcome == Outcome::kRefused) return "refused: " + line.what;
    const std::size_t begin = line.what.find("port ") + 5;
    return line.what.substr(begin, line.what.find(':') - begin);
  }
  return output.report;
}

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    SCOPED_TRACE(text_of(each));
    const std::string verdict = verdict_of(each);
    if (each.expected.find(':') == std::string::npos) {
      EXPECT_EQ(verdict, each.expected);
    } else {
      EXPECT_THAT(verdict, HasSubstr(each.expected.substr(0, each.expected.find(':') + 1)));
      EXPECT_THAT(verdict, HasSubstr(each.expected.substr(each.expected.find(':') + 2)));
    }
  }
}

TEST(AppPort, IsTheOneThatSpeaksHttpByItsName) {
  expect_all({
      {"", "http 7777", "", "", "7777"},
      {"", "http-api 7777", "", "", "7777"},
      {"", "web 7777", "", "", "7777"},
      {"", "api 7777", "", "", "7777"},
      {"", "grpc 7777", "", "", "7777"},
      {"", "grpc-web 7777", "", "", "7777"},
      {"", "h2c 7777", "", "", "7777"},
      {"", "http2-edge 7777", "", "", "7777"},
      {"", "ws 7777", "", "", "7777"},
      {"", "app-http 7777", "", "", "7777"},
      {"redis:7", "http 6379", "", "", "6379"},
      {"", "http 7777; tcp-gossip 7946", "", "", "7777"},
      {"", "web 7777; grpc 7778", "", "", "7777"},
      {"", "http 7777; api 7778", "", "", "refused: it has several ports that may be the app's"},
      {"", "grpc 7777; grpc-admin 7778", "", "", "7777"},
  });
}

TEST(AppPort, IsNotThatOfAServiceThatIsANameAlone) {
  const std::string output =
      injected(deployment_of("      containers:\n      - name: app\n        ports:\n"
                             "        - {name: http, containerPort: 7777}\n") +
               service_of("  - {port: 80}\n", "  type: ExternalName\n"))
          .text;
  EXPECT_THAT(output, HasSubstr("--user-port=7777"));
}

TEST(AppPort, IsNeverOneForMetricsHealthOrAdministration) {
  expect_all({
      {"", "http-metrics 8080", "", "", "skipped: 8080 (http-metrics) is for metrics, health or"},
      {"", "http-metrics 8080; grpc 9095", "", "", "9095"},
      {"", "http-metrics 8080; web 9095", "", "", "9095"},
      {"", "web 7777; metrics 9090", "", "", "7777"},
      {"", "prom 9090; - 8080", "", "", "8080"},
      {"", "http-admin 8080", "", "", "skipped: 8080 (http-admin) is for metrics"},
      {"", "healthcare 8080", "", "", "skipped: by its name; if it takes the requests, say which"},
      {"", "health 8080; http 8081", "", "", "8081"},
      {"", "healthz 8080", "readiness httpGet healthz", "", "skipped: 8080 (healthz) is for"},
      {"", "http-probe 8081; tcp 7777", "", "", "skipped: 7777 (tcp) does not speak HTTP"},
      {"", "jmx 5555; http 8080", "", "", "8080"},
      {"", "debug 5005; - 8080", "", "", "8080"},
      {"", "metrics 9090", "", "http 80 metrics", "skipped: 9090 (metrics) is for metrics"},
      {"", "- 9090", "", "http-metrics 9090 9090", "skipped: 9090 is for metrics"},
      {"", "web 8080; metrics 9090", "", "metrics 9090 metrics", "8080"},
      {"", "- 8080; - 9090", "", "http 80 8080; metrics 9090 9090", "8080"},
  });
}

TEST(AppPort, IsNeverOneForPrometheusWhereverItsNameSaysProm) {
  for (const std::string name : {"prom", "promhttp", "httpprom", "http-prom", "prom-web", "appprom",
                                 "promexport", "promui", "PromHTTP", "xpromx", "promo-prom"}) {
    expect_all({{"", name + " 8080", "", "", "skipped: is for metrics"},
                {"", name + " 8080; main 8081", "", "", "8081"}});
  }
}

TEST(AppPort, MayHaveAWordInItsNameThatBeginsAsProm) {
  for (const std::string name : {"promo", "promotions", "http-promo", "promoter", "promise",
                                 "compromise", "prompt", "chatprompt", "prominent", "promenade"}) {
    expect_all({{"", name + " 8080", "", "", "8080"}});
  }
}

TEST(AppPort, IsNotOneOfTlsHoweverThatIsSaid) {
  for (const std::string said : {"tls 7777", "https 7777", "ssl 7777", "wss 7777", "grpcs 7777",
                                 "https-web 7777", "main-tls 7777", "tls 8080", "https 443",
                                 "- 443", "- 8443", "- 9443", "- 10260", "main 10250"}) {
    expect_all({{"", said, "", "", "skipped: speaks TLS"},
                {"", said + "; http 8000", "", "", "8000"},
                {"", said + "; metrics 9090", "", "", "skipped: speaks TLS"}});
  }
}

TEST(AppPort, IsNotOneThatSaysAnotherProtocol) {
  expect_all({
      {"", "- 7777", "", "tcp-redis 7777 7777", "skipped: port name tcp-redis of service/shop"},
      {"", "tcp-app 8080", "", "", "skipped: 8080 (tcp-app) does not speak HTTP"},
      {"", "redis 8080", "", "", "skipped: 8080 (redis) does not speak HTTP"},
      {"", "mongo 8080", "", "", "skipped: does not speak HTTP (port name mongo)"},
      {"", "mysql-read 8080", "", "", "skipped: does not speak HTTP"},
      {"", "postgresql 8080", "", "", "skipped: does not speak HTTP"},
      {"", "amqp 8080", "", "", "skipped: does not speak HTTP"},
      {"", "http 8080", "", "tcp 8080 8080", "skipped: port name tcp of service/shop"},
      {"", "http 8080", "", "x 80 8080 redis", "skipped: appProtocol redis of service/shop"},
      {"", "- 8080", "", "- 80 8080 kafka", "skipped: appProtocol kafka"},
      {"", "- 8080", "", "- 80 8080 example.com/own", "skipped: appProtocol example.com/own"},
      {"", "tcp-app 7777", "", "x 80 7777 http", "7777"},
      {"", "- 7777", "", "x 81 7777 kubernetes.io/h2c", "7777"},
      {"", "- 7777", "", "x 81 7777 kubernetes.io/ws", "7777"},
      {"", "- 7777", "", "x 81 7777 HTTP2", "7777"},
      {"", "- 7777", "", "x 81 7777 grpc", "7777"},
  });
}

TEST(AppPort, IsKnownByItsNumber) {
  expect_all({
      {"", "- 8080", "", "", "8080"},
      {"", "- 80", "", "", "80"},
      {"", "- 3000", "", "", "3000"},
      {"", "- 5000", "", "", "5000"},
      {"", "- 50051", "", "", "50051"},
      {"", "main 8000", "", "", "8000"},
      {"", "- 7777", "", "- 80 7777", "7777"},
      {"", "- 6379", "", "", "skipped: 6379 does not speak HTTP"},
      {"", "- 3306", "", "", "skipped: 3306 does not speak HTTP"},
      {"", "- 5432", "", "", "skipped: 5432 does not speak HTTP"},
      {"", "- 2181", "", "", "skipped: 2181 does not speak HTTP"},
      {"", "- 5701", "", "", "skipped: 5701 does not speak HTTP"},
      {"", "- 9300", "", "", "skipped: 9300 does not speak HTTP"},
      {"", "- 27017", "", "", "skipped: 27017 does not speak HTTP"},
      {"", "- 10260", "", "", "skipped: 10260 speaks TLS (its number)"},
      {"", "- 9443", "", "", "skipped: 9443 speaks TLS"},
      {"", "- 9200; - 9300", "", "", "9200"},
      {"", "- 8080; - 7777", "", "", "8080"},
      {"", "- 8080; - 3000", "", "", "refused: it has several ports"},
      {"", "", "", "- 6379 6379", "skipped: 6379 does not speak HTTP"},
      {"", "", "", "- 3000 3000", "3000"},
      {"", "", "", "", "skipped: no container declares one, and no Service of the input"},
      {"", "- 7777", "", "", "skipped: no sign that 7777 speaks HTTP; if it does, name the"},
      {"", "main 7777", "", "- 7777 7777", "skipped: no sign that 7777 (main) speaks HTTP"},
  });
}

TEST(AppPort, IsKnownByAProbeOfTheKubelet) {
  expect_all({
      {"", "- 7777", "readiness httpGet 7777", "", "7777"},
      {"", "main 7777", "liveness httpGet main", "", "7777"},
      {"", "- 7777", "startup httpGet 7777", "", "7777"},
      {"", "- 7777", "liveness grpc 7777", "", "7777"},
      {"", "- 7777", "readiness tcpSocket 7777", "", "skipped: no sign that 7777"},
      {"", "- 7777", "readiness httpGet 7777 HTTPS", "", "skipped: 7777 speaks TLS"},
      {"", "web 8443", "readiness httpGet web HTTPS", "web 443 web",
       "skipped: 8443 (web) speaks TLS"},
      {"", "http 7777", "liveness httpGet http HTTPS", "", "skipped: 7777 (http) speaks TLS"},
      {"", "http 7777", "liveness httpGet http HTTPS", "http 80 http http", "7777"},
      {"", "http 7777", "readiness httpGet 9443 HTTPS", "", "7777"},
      {"", "- 7777", "readiness httpGet 9999", "", "skipped: no sign that 7777"},
      {"", "- 7777; - 7778", "readiness httpGet 7778", "", "refused: it has several ports"},
      {"", "tcp 7777", "readiness httpGet 7777", "", "skipped: 7777 (tcp) does not speak HTTP"},
  });
}

TEST(AppPort, IsKnownByTheImageIfNothingElseSaysAnything) {
  expect_all({
      {"nginx:1.27", "- 7777", "", "", "7777"},
      {"registry.example:5000/team/httpd@sha256:0", "- 7777", "", "", "7777"},
      {"redis:7", "- 7777", "", "", "skipped: 7777 does not speak HTTP (image redis:7)"},
      {"bitnami/mongodb-sharded:8", "- 7777", "", "", "skipped: does not speak HTTP (image"},
      {"php:8.3-fpm", "- 9000", "", "", "skipped: 9000 does not speak HTTP (image php:8.3-fpm)"},
      {"php:8.3-apache", "- 9000", "", "", "skipped: no sign that 9000 speaks HTTP"},
      {"nginx/nginx-prometheus-exporter:1", "- 9113", "", "", "skipped: no sign that 9113"},
      {"postgrest/postgrest", "- 3000", "", "", "3000"},
      {"registry.example/mysql-console", "- 8080", "", "", "8080"},
  });
}

TEST(AppPort, IsTheNumberThatKubectlReads) {
  expect_all({
      {"", "http 017620", "", "", "8080"},
      {"", "http 0o17620", "", "", "8080"},
      {"", "http 0x1F90", "", "", "8080"},
      {"", "http 8_080", "", "", "8080"},
      {"", "- 0b1111110010000", "readiness httpGet 8_080", "", "8080"},
  });
}

TEST(AppPort, MayEndTlsBeforeThePod) {
  expect_all({
      {"", "http 8080", "", "http 80 http; https 443 http", "8080"},
      {"", "- 8080", "", "http 80 8080; https 443 8080", "8080"},
      {"", "- 8080", "readiness httpGet 8080", "https 443 8080", "8080"},
      {"", "- 8080", "", "https 443 8080", "skipped: 8080 speaks TLS (port name https of service"},
      {"", "- 8080", "", "- 443 8080", "8080"},
      {"", "grpc 8080", "", "grpc 80 grpc; wss-edge 443 grpc", "8080"},
      {"", "grpc 7777", "", "tls-grpc 443 grpc",
       "skipped: 7777 (grpc) speaks TLS (port name tls-grpc of service/shop"},
      {"", "http 7777", "readiness httpGet http", "ssl 443 http; http 80 http",
       "skipped: 7777 (http) speaks TLS (port name ssl of"},
      {"", "https 8443", "", "", "skipped: 8443 (https) speaks TLS"},
      {"", "webhook-server 9443", "", "", "skipped: 9443 (webhook-server) speaks TLS"},
      {"", "http 8080", "", "x 443 8080 https", "skipped: appProtocol https of service/shop"},
  });
}

/// Of the first workload.
Outcome outcome_of(const std::string& text, const InjectOptions& options = options_of_tests()) {
  const Output output = injected(text, options);
  return output.lines.empty() ? Outcome::kRestored : output.lines.front().outcome;
}

std::string with(std::string text, const std::string& what, const std::string& more) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos);
  return text.insert(at + what.size(), more);
}

TEST(WorkloadWithoutHttp, IsRefusedIfAUserAskedForItsQueueProxy) {
  InjectOptions only = options_of_tests();
  only.selection.names = {"shop"};
  const std::string name = "  name: shop\n";
  for (const std::string port :
       {"containerPort: 6379", "containerPort: 443", "{name: tls, containerPort: 7777}",
        "{name: https, containerPort: 7777}"}) {
    SCOPED_TRACE(port);
    const std::string pods = app_of("        ports: [" + port + "]\n");
    EXPECT_EQ(outcome_of(pods), Outcome::kSkipped);
    EXPECT_EQ(outcome_of(pods, only), Outcome::kRefused);
    EXPECT_EQ(outcome_of(with(pods, name, "  labels: {bellows.dev/autoscale: \"true\"}\n")),
              Outcome::kRefused);
    EXPECT_EQ(outcome_of(with(pods, name, "  annotations: {inject.bellows.dev/inject: enabled}\n")),
              Outcome::kRefused);
  }
}

TEST(WorkloadWithoutHttp, IsInjectedIfAUserNamesItsPort) {
  const std::string redis = app_of("        ports: [{containerPort: 6379}]\n");
  const std::string name = "  name: shop\n";
  EXPECT_EQ(outcome_of(with(redis, name, "  annotations: {inject.bellows.dev/port: \"6379\"}\n")),
            Outcome::kInjected)
      << "the user knows better than a number";
}

TEST(SecondHttpPort, IsReportedBecauseItsRequestsGoAroundTheQueueProxy) {
  const Output output =
      injected(app_of("        ports:\n        - {name: http, containerPort: 8080}\n"
                      "        - {name: grpc, containerPort: 7777}\n"
                      "        - {name: http-metrics, containerPort: 9090}\n"));
  EXPECT_THAT(output.report, HasSubstr("warning: port 7777 (grpc) speaks HTTP too: its requests "
                                       "bypass the queue-proxy and are not counted\n"));
  EXPECT_THAT(output.report, testing::Not(HasSubstr("9090")));
}

/// Of an earlier version, which took any port.
std::string injected_earlier(const std::string& number) {
  InjectOptions options = options_of_tests();
  options.port = number;
  options.image = "bellows/queue-proxy:0";
  return injected(app_of("        ports: [{containerPort: " + number + "}]\n"), options).text;
}

TEST(PodsOfAnEarlierInject, KeepTheirPortIfNothingSpeaksAgainstIt) {
  const std::string again = injected(injected_earlier("7777")).text;
  EXPECT_THAT(again, HasSubstr("--user-port=7777"));
  EXPECT_THAT(again, HasSubstr("bellows/queue-proxy:1"));
}

TEST(PodsOfAnEarlierInject, StayAsTheyAreIfTheyCannotBeInjectedAnyMore) {
  const std::string before = with(injected_earlier("7777"), "containerPort: 7777", ", name: redis");
  const Output output = injected(before);
  EXPECT_EQ(output.text, before) << "no pod loses its queue-proxy by a second run";
  EXPECT_THAT(output.report, HasSubstr("refused: port: 7777 (redis) does not speak HTTP"));
  EXPECT_THAT(output.report, HasSubstr("it stays as an earlier inject made it"));
}

}  // namespace
}  // namespace bellows::injector
