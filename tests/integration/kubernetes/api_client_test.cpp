#include "kubernetes/io/api_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/io/event.hpp"
#include "kubernetes/core/patch.hpp"
#include "tests/integration/kubernetes/api_world.hpp"

namespace bellows::kubernetes {
namespace {

using test::RawPeer;
using test::run_task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

ApiRequest get_pod() {
  return ApiRequest(ApiVerb::kGet, pods(), "shop", "web-1");
}

ApiRequest patch_scale() {
  ApiRequest request(ApiVerb::kPatch, deployments(), "shop", "web", "scale");
  request.content_type = std::string(kJsonPatchType);
  request.body = JsonPatch().test("/spec/replicas", 2).replace("/spec/replicas", 4).body();
  request.priority = Priority::kOrder;
  return request;
}

std::uint64_t calls(const ApiClient& client, const std::string& verb, const std::string& resource,
                    const std::string& result) {
  const auto& all = client.counters().calls;
  const auto found = all.find({.verb = verb, .resource = resource, .result = result});
  return found == all.end() ? 0 : found->second;
}

TEST(ApiClient, ARequestHasItsPathHeadersAndBody) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, "{}")});
    world.credentials->token = "secret";
    ApiRequest request = patch_scale();
    request.query = "fieldManager=bellows";
    EXPECT_EQ((co_await world.client.call(request)).value(), "{}");
    const Asked& asked = world.api.asked().front();
    EXPECT_EQ(asked.line(),
              "PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale?fieldManager=bellows "
              "HTTP/1.1");
    EXPECT_EQ(asked.header("Authorization"), "Bearer secret");
    EXPECT_EQ(asked.header("Content-Type"), "application/json-patch+json");
    EXPECT_EQ(asked.header("Accept"), "application/json");
    EXPECT_EQ(asked.header("User-Agent"), "bellows");
    EXPECT_EQ(asked.header("Host"), to_string(world.api.endpoint()));
    EXPECT_EQ(asked.body, request.body);
    EXPECT_EQ(calls(world.client, "patch", "deployments.apps/scale", "200"), 1U);
  });
}

TEST(ApiClient, RequestsOneAfterTheOtherShareAConnection) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, "{}")});
    for (int i = 0; i < 5; ++i) EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_EQ(world.api.connections(), 1);
    EXPECT_EQ(calls(world.client, "get", "pods", "200"), 5U);
  });
}

TEST(ApiClient, AnErrorNamesVerbObjectStatusAndTheServersMessage) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(404, status_body(404, "NotFound", "pods not found")),
                        whole_answer(403, status_body(403, "Forbidden", "no right")),
                        whole_answer(500, "<html>a proxy's page</html>")});
    EXPECT_EQ(to_string((co_await world.client.call(get_pod())).error()),
              "get pods shop/web-1: HTTP 404 NotFound: pods not found");
    EXPECT_EQ(to_string((co_await world.client.call(patch_scale())).error()),
              "patch deployments.apps/scale shop/web: HTTP 403 Forbidden: no right");
    EXPECT_THAT(to_string((co_await world.client.call(get_pod())).error()),
                StartsWith("get pods shop/web-1: HTTP 500"));
    const Result<ApiAnswer> answer = co_await world.client.send(get_pod());
    EXPECT_EQ(answer->http_status, 500);
    EXPECT_FALSE(answer->is_success());
  });
}

TEST(ApiClient, WithoutAServerTheErrorNamesCallAndAddress) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    const Endpoint nobody =
        http::bind_and_listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}, 0600)
            .value()
            .endpoint;
    SeededRandom random(1);
    ApiClient client(io, std::make_shared<FakeCredentials>(nobody), random);
    const Result<std::string> got = co_await client.call(get_pod());
    EXPECT_EQ(got.error().kind(), ErrorKind::kRefused);
    EXPECT_EQ(to_string(got.error()), "get pods shop/web-1: " + to_string(nobody) +
                                          ": connect: Connection refused (ECONNREFUSED)");
    EXPECT_EQ(calls(client, "get", "pods", "refused"), 1U);
  });
}

TEST(ApiClient, RestrictedWritesAreNotSentAndReadsAre) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, "{}")});
    bool may_write = false;
    world.client.restrict_writes([&may_write]() -> Result<void> {
      if (may_write) return {};
      return fail(ErrorKind::kUnavailable, "lease a/b", "c holds it, this one stands by");
    });
    const Result<std::string> refused = co_await world.client.call(patch_scale());
    EXPECT_EQ(to_string(refused.error()),
              "patch deployments.apps/scale shop/web: lease a/b: c holds it, this one stands by");
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(world.api.asked().size(), 0U);
    EXPECT_FALSE(world.client.may_write());
    EXPECT_TRUE(co_await world.client.call(get_pod()));
    ApiRequest free = patch_scale();
    free.is_restricted = false;
    EXPECT_TRUE(co_await world.client.call(free));
    may_write = true;
    EXPECT_TRUE(world.client.may_write());
    EXPECT_TRUE(co_await world.client.call(patch_scale()));
    EXPECT_EQ(world.api.asked().size(), 3U);
  });
}

TEST(ApiClient, A401IsRepeatedOnceWithCredentialsThatAreReadAnew) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, [](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      const bool is_new = asked.header("Authorization") == "Bearer new";
      std::string answer = whole_answer(401, status_body(401, "Unauthorized", "go away"));
      if (is_new) answer = whole_answer(200, "{}");
      co_await peer.send(answer);
    });
    world.credentials->token = "old";
    world.credentials->next_token = "new";
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_EQ(world.credentials->rejections, 1);

    world.credentials->token = "old";
    world.credentials->next_token.clear();
    EXPECT_THAT(to_string((co_await world.client.call(get_pod())).error()),
                HasSubstr("HTTP 401 Unauthorized: go away"));
    EXPECT_EQ(world.api.asked().size(), 4U);
  });
}

TEST(ApiClient, CredentialsThatCannotBeReadAreTheErrorOfTheCall) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, "{}")});
    world.credentials->failure = Error(ErrorKind::kNotFound, "token /t", "no such file");
    EXPECT_EQ(to_string((co_await world.client.call(get_pod())).error()),
              "get pods shop/web-1: token /t: no such file");
    EXPECT_TRUE(world.api.asked().empty());
  });
}

TEST(ApiClient, RetryAfterOf429And503IsObeyed) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(429, "{}", "Retry-After: 0\r\n"),
                        whole_answer(503, "{}", "Retry-After: 0\r\n"), whole_answer(200, "{}")});
    const TimePoint begin = sys::system_clock().now();
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_GE(sys::system_clock().now() - begin, 200ms) << "at least 0.1 s each";
    EXPECT_EQ(world.api.asked().size(), 3U);
    EXPECT_EQ(calls(world.client, "get", "pods", "429"), 1U);
  });
}

TEST(ApiClient, ARetryAfterBeyondTheTimeoutIsAnAnswerAtOnce) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(429, status_body(429, "TooManyRequests", "slow down"),
                                     "Retry-After: 40\r\n")});
    const Result<std::string> got = co_await world.client.call(get_pod());
    EXPECT_EQ(got.error().kind(), ErrorKind::kOverloaded);
    EXPECT_EQ(world.api.asked().size(), 1U);
  });
}

TEST(ApiClient, OnlyAReadIsRepeatedAfterABrokenConnection) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    int requests = 0;
    ApiWorld world(io, [&requests](const Asked&, RawPeer& peer) -> Awaitable<void> {
      if (++requests % 2 == 0) {
        peer.close();  // every second request finds its connection closed
        co_return;
      }
      co_await peer.send(whole_answer(200, "{}"));
    });
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_EQ(requests, 3);
    EXPECT_EQ(world.api.connections(), 2);
    const Result<std::string> order = co_await world.client.call(patch_scale());
    EXPECT_EQ(order.error().kind(), ErrorKind::kReset);
    EXPECT_THAT(to_string(order.error()), StartsWith("patch deployments.apps/scale shop/web: "));
    EXPECT_EQ(requests, 4);
  });
}

TEST(ApiClient, AnAnswerOverItsLimitIsTooLarge) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, std::string(3'000'000, ' '))});
    ApiRequest request = get_pod();
    request.max_answer_bytes = 2'000'000;
    EXPECT_EQ((co_await world.client.call(request)).error().kind(), ErrorKind::kTooLarge);
    request.max_answer_bytes = 4'000'000;
    EXPECT_EQ((co_await world.client.call(request)).value().size(), 3'000'000U);
  });
}

TEST(ApiClient, AServerThatNeverAnswersIsATimeout) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(
        io, [](const Asked&, RawPeer& peer) -> Awaitable<void> { co_await peer.read_to_end(); });
    ApiRequest request = get_pod();
    request.timeout = 50ms;
    const Result<std::string> got = co_await world.client.call(request);
    EXPECT_EQ(got.error().kind(), ErrorKind::kTimeout);
    EXPECT_THAT(to_string(got.error()), StartsWith("get pods shop/web-1: "));
  });
}

TEST(ApiClient, TellsSinceWhenItIsNotAnswered) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    bool hangs = true;
    ApiWorld world(io, [&hangs](const Asked&, RawPeer& peer) -> Awaitable<void> {
      if (hangs) {
        co_await peer.read_to_end();
      } else {
        co_await peer.send(whole_answer(200, "{}"));
      }
    });
    EXPECT_EQ(world.client.unanswered_since(), std::nullopt);
    ApiRequest request = get_pod();
    request.timeout = 50ms;
    const TimePoint before = in(0s);
    EXPECT_FALSE((co_await world.client.call(request)).has_value());
    const std::optional<TimePoint> since = world.client.unanswered_since();
    EXPECT_GE(since, before);
    EXPECT_FALSE((co_await world.client.call(request)).has_value());
    EXPECT_EQ(world.client.unanswered_since(), since) << "the first of both";
    hangs = false;
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    EXPECT_EQ(world.client.unanswered_since(), std::nullopt);
  });
}

TEST(ApiClient, AnAnswerThatIsCutAtAnyByteIsAnError) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    const std::string whole =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5\r\nhello\r\n7\r\n world!\r\n0\r\n\r\n";
    std::size_t cut = 0;
    ApiWorld world(io, [&](const Asked&, RawPeer& peer) -> Awaitable<void> {
      co_await peer.send(whole.substr(0, cut));
      if (cut < whole.size()) peer.close();
    });
    for (; cut < whole.size(); ++cut) {
      const Result<std::string> got = co_await world.client.call(patch_scale());
      EXPECT_FALSE(got.has_value()) << cut;
      EXPECT_EQ(got.error().kind(), ErrorKind::kReset) << cut;
    }
    EXPECT_EQ((co_await world.client.call(patch_scale())).value(), "hello world!");
  });
}

TEST(ApiClient, GarbageInsteadOfAnAnswerIsMalformed) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {"SSH-2.0-OpenSSH_9.2\r\n\r\n"});
    EXPECT_EQ((co_await world.client.call(get_pod())).error().kind(), ErrorKind::kMalformed);
  });
}

TEST(ApiClient, OrdersGoBeforeReadsAndTheseBeforeReports) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiClientOptions options;
    options.max_calls = 1;
    http::Event all_wait(io);
    const ScriptedApi::Answer answer = [&](const Asked&, RawPeer& peer) -> Awaitable<void> {
      co_await all_wait.wait();
      const std::string bytes = whole_answer(200, "{}");
      co_await peer.send(bytes);
    };
    ApiWorld world(io, answer, options);
    http::TaskGroup tasks(io);
    const auto spawn = [&](Priority priority, std::string name) {
      tasks.spawn(name, [&world, priority, name]() -> Awaitable<void> {
        ApiRequest request(ApiVerb::kGet, pods(), "shop", name);
        request.priority = priority;
        EXPECT_TRUE((co_await world.client.call(request)).has_value());
      });
    };
    spawn(Priority::kReport, "first");  // takes the one place that there is
    spawn(Priority::kReport, "report");
    spawn(Priority::kRead, "read");
    spawn(Priority::kOrder, "order");
    all_wait.set();
    EXPECT_TRUE((co_await tasks.join(in(30s))).has_value());
    std::vector<std::string> names;
    for (const Asked& each : world.api.asked()) {
      const std::string line = each.line();
      const std::size_t begin = line.rfind("pods/") + 5;
      names.push_back(line.substr(begin, line.find(' ', begin) - begin));
    }
    EXPECT_THAT(names, ElementsAre("first", "order", "read", "report"));
    EXPECT_GT(world.client.counters().limited, 0ms);
  });
}

TEST(ApiClient, ACallThatWaitsForTheLimitTooLongIsATimeoutThatSaysSo) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiClientOptions options;
    options.calls_per_second = 0.01;
    options.burst = 1;
    ApiWorld world(io, {whole_answer(200, "{}")}, options);
    EXPECT_TRUE((co_await world.client.call(get_pod())).has_value());
    ApiRequest request = get_pod();
    request.timeout = 20ms;
    const Result<std::string> got = co_await world.client.call(request);
    EXPECT_EQ(got.error().kind(), ErrorKind::kTimeout);
    EXPECT_THAT(to_string(got.error()), HasSubstr("for our own limit of"));
    EXPECT_EQ(world.api.asked().size(), 1U);
  });
}

TEST(ApiClient, AStreamIsHandedOnAsItComesUntilItsDeadline) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, [](const Asked&, RawPeer& peer) -> Awaitable<void> {
      co_await peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n");
      co_await peer.send("3\r\ntwo\r\n");
      co_await peer.read_to_end();
    });
    int status = 0;
    std::string chunks;
    ApiStream into;
    into.on_head = [&](int http_status, std::optional<Duration>) { status = http_status; };
    into.on_chunk = [&](std::string_view chunk) -> Result<void> {
      chunks += chunk;
      return {};
    };
    const Result<void> done = co_await world.client.stream(ApiRequest(ApiVerb::kWatch, pods()),
                                                           "/api/v1/pods?watch=1", in(100ms), into);
    EXPECT_EQ(status, 200);
    EXPECT_EQ(chunks, "onetwo");
    EXPECT_EQ(done.error().kind(), ErrorKind::kTimeout);
    EXPECT_THAT(to_string(done.error()), StartsWith("watch pods: "));
    EXPECT_EQ(calls(world.client, "watch", "pods", "200"), 1U);
  });
}

TEST(ApiClient, AStreamThatItsReaderRefusesEndsWithThatError) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, {whole_answer(200, "garbage")});
    ApiStream into;
    into.on_head = [](int, std::optional<Duration>) {};
    into.on_chunk = [](std::string_view) -> Result<void> {
      return fail(ErrorKind::kMalformed, "list", "no JSON");
    };
    const Result<void> done = co_await world.client.stream(ApiRequest(ApiVerb::kList, pods()),
                                                           "/api/v1/pods", in(10s), into);
    EXPECT_EQ(to_string(done.error()), "list pods: list: no JSON");
  });
}

TEST(ApiClient, ManyUnansweredReadsKeepNoOrderFromGoingOut) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    ApiWorld world(io, [](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      if (asked.line().starts_with("PATCH")) {
        co_await peer.send(whole_answer(200, "{}"));
      } else {
        co_await peer.read_to_end();  // reads are never answered
      }
    });
    http::TaskGroup tasks(io);
    for (int i = 0; i < 40; ++i) {
      tasks.spawn("read", [&world]() -> Awaitable<void> {
        const Result<std::string> ignored = co_await world.client.call(get_pod());
      });
    }
    EXPECT_TRUE((co_await world.client.call(patch_scale())).has_value());
    EXPECT_EQ(world.api.asked().size(), 25U) << "24 reads at once, and the order";
    tasks.stop();
    EXPECT_TRUE((co_await tasks.join(in(10s))).has_value());
  });
}

}  // namespace
}  // namespace bellows::kubernetes
