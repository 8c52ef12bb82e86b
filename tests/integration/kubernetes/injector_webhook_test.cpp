// The webhook of the injector over TLS, as an API server calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.hpp"
#include "base/sys/clock.hpp"
#include "http/io/client.hpp"
#include "http/tls/tls_context.hpp"
#include "injector/service/program.hpp"
#include "tests/integration/kubernetes/api_world.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::injector {
namespace {

using http::Awaitable;
using ::testing::HasSubstr;

constexpr const char* kReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
    R"("kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"shop",)"
    R"("object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},)"
    R"("spec":{"containers":[{"name":"app","ports":[{"containerPort":8080}]}]}}}})";

constexpr const char* kPatch = R"("patch":")";

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::trunc) << text;
}

/// `injector serve` with files for its certificate, and a client that trusts its CA.
class World {
 public:
  explicit World(http::net::io_context& io, kubernetes::ApiClient* api = nullptr) {
    renew();
    tls_ = http::make_tls_server(
               {.certificate = {.path = folder_.path("tls.crt"), .text = {}, .name = {}},
                .key = {.path = folder_.path("tls.key"), .text = {}, .name = {}},
                .client_ca = {}})
               .value();
    http::TlsClientSettings client;
    client.ca = {.path = {}, .text = ca_.certificate(), .name = "the test's CA"};
    client_ = http::make_tls_client(std::move(client)).value();
    ServeSettings settings;
    settings.listen = {.host = "127.0.0.1", .port = 0, .unix_path = {}};
    InjectOptions options;
    options.image = "example/queue-proxy:1";
    program = std::make_unique<Program>(io, sys::system_clock(), settings, std::move(options),
                                        *tls_, api);
    EXPECT_TRUE(program->start().has_value());
  }

  /// Replaces the files of the certificate.
  void renew(const std::string& name = "test") {
    const test::TestCertificate made =
        ca_.sign({.common_name = name, .dns_names = {"localhost"}, .addresses = {"127.0.0.1"}});
    write(folder_.path("tls.crt"), made.certificate);
    write(folder_.path("tls.key"), made.key);
  }
  void break_files() { write(folder_.path("tls.crt"), "no certificate"); }

  Awaitable<http::Response> call(std::string method, std::string path, std::string body) {
    const auto response =
        co_await http::fetch(program->address(), std::move(method), std::move(path),
                             std::move(body), {}, {.tls = client_.get()});
    EXPECT_TRUE(response.has_value()) << to_string(response.error());
    co_return response ? *response : http::Response{};
  }
  Awaitable<http::Response> review(std::string body) {
    return call("POST", "/pods", std::move(body));
  }

 private:
  test::TestCa ca_;
  test::TemporaryFolder folder_;
  std::unique_ptr<http::TlsContext> tls_, client_;

 public:
  std::unique_ptr<Program> program;
};

TEST(InjectorWebhook, AnswersAQuestionWithAPatch) {
  test::run_task([](http::net::io_context& io) -> Awaitable<void> {
    World world(io);
    const http::Response response = co_await world.review(kReview);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.content_type, "application/json");
    EXPECT_THAT(response.body, HasSubstr(R"("uid":"u-1","allowed":true,"patchType":"JSONPatch")"));
    const http::Response metrics = co_await world.call("GET", "/metrics", "");
    EXPECT_THAT(metrics.body, HasSubstr(R"(bellows_injector_reviews_total{result="injected"} 1)"));
    EXPECT_THAT(metrics.body, HasSubstr("bellows_injector_review_seconds_count 1"));
  });
}

TEST(InjectorWebhook, RejectsWhatIsNoQuestion) {
  test::run_task([](http::net::io_context& io) -> Awaitable<void> {
    World world(io);
    const std::string review = kReview;
    EXPECT_EQ((co_await world.review("")).status, 400);
    const http::Response cut = co_await world.review(review.substr(0, 200));
    EXPECT_EQ(cut.status, 400);
    EXPECT_THAT(cut.body, HasSubstr("want one JSON object"));
    const http::Response large = co_await world.review(std::string(3'000'000, ' '));
    EXPECT_EQ(large.status, 413);
    EXPECT_EQ((co_await world.call("GET", "/pods", "")).status, 405);
    EXPECT_EQ((co_await world.call("POST", "/nodes", review)).status, 404);
    EXPECT_EQ((co_await world.review(review)).status, 200);
    const http::Response metrics = co_await world.call("GET", "/metrics", "");
    EXPECT_THAT(metrics.body, HasSubstr(R"(bellows_injector_reviews_total{result="malformed"} 2)"));
  });
}

TEST(InjectorWebhook, ServesARenewedCertificateAndSurvivesABrokenOne) {
  test::run_task([](http::net::io_context& io) -> Awaitable<void> {
    World world(io);
    EXPECT_EQ((co_await world.review(kReview)).status, 200);
    world.renew("renewed");
    EXPECT_EQ((co_await world.review(kReview)).status, 200);
    world.break_files();
    EXPECT_EQ((co_await world.review(kReview)).status, 200);
    world.renew("renewed again");
    EXPECT_EQ((co_await world.review(kReview)).status, 200);
  });
}

TEST(InjectorWebhook, AsksTheServerForItsVersionAndUsesNativeSidecars) {
  test::run_task([](http::net::io_context& io) -> Awaitable<void> {
    const std::string version = R"({"major":"1","minor":"34+","gitVersion":"v1.34.1"})";
    kubernetes::ApiWorld server(io, {kubernetes::whole_answer(200, version)});
    World world(io, &server.client);
    EXPECT_EQ((co_await world.call("GET", "/healthz", "")).status, 200);
    http::Response ready;
    for (int tries = 0; tries < 1000 && ready.status != 200; ++tries) {
      ready = co_await world.call("GET", "/readyz", "");
    }
    EXPECT_EQ(ready.status, 200);
    EXPECT_EQ(server.api.asked().front().line(), "GET /version HTTP/1.1");
    const std::string body = (co_await world.review(kReview)).body;
    const std::size_t begin = body.find(kPatch) + std::string_view(kPatch).size();
    const auto patch = from_base64(body.substr(begin, body.find('"', begin) - begin));
    EXPECT_THAT(patch.value_or(""), HasSubstr(R"({"op":"add","path":"/spec/initContainers")"));
  });
}

}  // namespace
}  // namespace bellows::injector
