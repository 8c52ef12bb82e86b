// What the room kubernetes relies on of an API server. The same suite runs against the fake one
// (tests/support/fake_api_server.hpp) and against a real one, so that the fake cannot drift away.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "base/query.hpp"
#include "base/sys/clock.hpp"
#include "kubernetes/core/event_reader.hpp"
#include "kubernetes/core/fields.hpp"
#include "kubernetes/io/api_client.hpp"
#include "tests/support/fake_api_server.hpp"
#include "tests/support/run_task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::kubernetes {

/// Names a kubeconfig of a real server that a test may write to.
inline constexpr const char* kRealServer = "BELLOWS_TEST_KUBECONFIG";

/// A client of either server, and a namespace of its own.
class ApiContract : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const char* kubeconfig = std::getenv(kRealServer);
    if (GetParam() && (kubeconfig == nullptr || !std::filesystem::exists(kubeconfig))) {
      GTEST_SKIP() << kRealServer << " names no kubeconfig of a real API server: run "
                   << "tools/control-plane build, or set KUBEBUILDER_ASSETS";
    }
    if (!GetParam()) fake_.emplace(io_);
    static std::atomic<int> made = 0;
    ns_ = "contract-" + std::to_string(sys::system_clock().now().time_since_epoch().count()) + "-" +
          std::to_string(++made);
    const std::string file = GetParam() ? std::string(kubeconfig) : fake_kubeconfig();
    auto credentials = load_credentials(io_, {.kubeconfig = file});
    ASSERT_TRUE(credentials) << to_string(credentials.error());
    client_.emplace(io_, *credentials, random_);
    const ApiAnswer answer =
        write(ApiVerb::kCreate, {namespaces()}, R"({"metadata":{"name":")" + ns_ + "\"}}");
    ASSERT_EQ(answer.http_status, 201) << answer.body;
  }

  void TearDown() override {
    if (client_ && GetParam()) send(ApiRequest(ApiVerb::kDelete, namespaces(), {}, ns_));
  }

  ApiAnswer send(ApiRequest request) {
    auto answer =
        test::run_task<Result<ApiAnswer>>(io_, [&]() -> http::Awaitable<Result<ApiAnswer>> {
          auto got = co_await client_->send(request);
          co_return got;
        });
    EXPECT_TRUE(answer) << to_string(answer.error());
    return answer.value_or(ApiAnswer());
  }

  struct Target {
    Resource resource;
    std::string name = {};
    std::string subresource = {};
  };

  ApiRequest request(ApiVerb verb, const Target& target) const {
    const bool is_namespaced = target.resource != namespaces();
    return {verb, target.resource, is_namespaced ? ns_ : "", target.name, target.subresource};
  }

  ApiAnswer get(const Target& target, const std::string& query = {}) {
    ApiRequest made = request(target.name.empty() ? ApiVerb::kList : ApiVerb::kGet, target);
    made.query = query;
    return send(made);
  }

  ApiAnswer write(ApiVerb verb, const Target& target, const std::string& body,
                  std::string_view content_type = "application/json") {
    ApiRequest made = request(verb, target);
    made.body = body;
    made.content_type = content_type;
    return send(made);
  }

  ApiAnswer create_lease(const std::string& name, const std::string& labels = "{}") {
    return write(ApiVerb::kCreate, {leases()},
                 R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" +
                     name + R"(","labels":)" + labels + R"(},"spec":{"holderIdentity":"a"}})");
  }

  /// The events of a watch of Leases from `version` that the server ends after `seconds`:
  /// "ADDED a", "BOOKMARK".
  struct Watched {
    std::vector<std::string> events;
    std::vector<std::uint64_t> versions;
    int http_status = 0;
    std::string error;
  };
  Watched watch(Query query);

  Query lease_watch(const std::string& version, int seconds = 1) const {
    return Query(collection_path(leases(), ns_))
        .add("watch", 1)
        .add("allowWatchBookmarks", "true")
        .add("timeoutSeconds", seconds)
        .add("resourceVersion", version);
  }

  /// The text at a path of members, or "".
  static std::string text_at(const std::string& body, const std::string& object,
                             const std::string& key) {
    const auto document = parse_document(body);
    if (!document) return "no object: " + body;
    std::optional<Error> wrong_type;
    const Fields fields(**document, "answer", wrong_type);
    return fields.object(object).integer_or_text(key);
  }
  static std::string version_of(const ApiAnswer& answer) {
    return text_at(answer.body, "metadata", "resourceVersion");
  }

  http::net::io_context io_;
  SeededRandom random_{1};
  test::TemporaryFolder folder_;
  std::optional<test::FakeApiServer> fake_;  // none: the real one
  std::optional<ApiClient> client_;
  std::string ns_;

 private:
  std::string fake_kubeconfig();
};

}  // namespace bellows::kubernetes
