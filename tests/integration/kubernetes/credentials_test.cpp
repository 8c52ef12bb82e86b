#include "kubernetes/io/credentials.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/base64.hpp"
#include "http/io/service_server.hpp"
#include "http/tls/tls_context.hpp"
#include "kubernetes/io/server_url.hpp"
#include "kubernetes/io/token_file.hpp"
#include "tests/integration/kubernetes/api_world.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::kubernetes {
namespace {

using test::run_task;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

class CredentialsTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name) { return folder_.path(name); }
  std::string write(const std::string& name, const std::string& content) {
    std::ofstream(path(name), std::ios::trunc) << content;
    return path(name);
  }
  /// A shell script, executable.
  std::string script(const std::string& name, const std::string& content) {
    write(name, "#!/bin/sh\n" + content);
    ::chmod(path(name).c_str(), 0700);
    return path(name);
  }
  /// A kubeconfig of one context "dev" whose user is `user` (YAML within braces).
  std::string kubeconfig(const std::string& user, const std::string& cluster_more = {}) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
           "clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"" +
           cluster_more +
           "}}]\n"
           "contexts: [{name: dev, context: {cluster: c, user: u, namespace: team}}]\n"
           "users: [{name: u, user: " +
           user + "}]\n";
  }
  std::shared_ptr<Credentials> loaded() {
    auto credentials = load_credentials(io_, options_);
    if (!credentials) throw std::runtime_error(to_string(credentials.error()));
    return std::move(*credentials);
  }
  std::string load_error() {
    const auto credentials = load_credentials(io_, options_);
    return credentials ? std::string("none") : to_string(credentials.error());
  }
  Result<Access> access(Credentials& credentials, Duration timeout = 20s) {
    return run_task<Result<Access>>(io_, [&] { return credentials.access(in(timeout)); });
  }

  test::TemporaryFolder folder_;
  http::net::io_context io_;
  CredentialsOptions options_;
};

TEST_F(CredentialsTest, AFileThatIsNamedCountsBeforeEverythingElse) {
  options_.kubeconfig = write("named", kubeconfig("{token: named}"));
  options_.environment["KUBECONFIG"] = write("listed", kubeconfig("{token: listed}"));
  const auto credentials = loaded();
  EXPECT_EQ(credentials->description(),
            "context dev of " + path("named") + ", http://127.0.0.1:1, user u");
  EXPECT_EQ(credentials->ns(), "team");
  EXPECT_EQ(credentials->server().endpoint.port, 1);
  EXPECT_EQ(access(*credentials)->authorization, "Bearer named");
}

TEST_F(CredentialsTest, TheFilesOfTheListAreMergedAndTheFirstDefinitionCounts) {
  const std::string first =
      write("first", "current-context: dev\nusers: [{name: u, user: {token: first}}]\n");
  const std::string second = write("second", kubeconfig("{token: second}"));
  options_.environment["KUBECONFIG"] = first + "::" + path("missing") + ":" + second;
  EXPECT_EQ(access(*loaded())->authorization, "Bearer first");
  options_.environment["KUBECONFIG"] = path("missing");
  EXPECT_EQ(load_error(),
            "environment KUBECONFIG: \"" + path("missing") + "\": there is no such file");
}

TEST_F(CredentialsTest, TheFileInTheHomeFolderIsTheLastOfTheFiles) {
  std::filesystem::create_directory(path(".kube"));
  write(".kube/config", kubeconfig("{token: home}"));
  options_.environment["HOME"] = path("");
  EXPECT_EQ(access(*loaded())->authorization, "Bearer home");
}

TEST_F(CredentialsTest, WithoutAnyTheErrorSaysWhatThereCouldBe) {
  EXPECT_THAT(load_error(), AllOf(StartsWith("Kubernetes credentials: "), HasSubstr("$KUBECONFIG"),
                                  HasSubstr("this is no pod")));
}

TEST_F(CredentialsTest, WhatIsWrongIsNamedInOneLine) {
  options_.kubeconfig = path("missing");
  EXPECT_THAT(load_error(), StartsWith(path("missing") + ": "));
  options_.kubeconfig = write("k", kubeconfig("{token: x}"));
  options_.context = "prod";
  EXPECT_THAT(load_error(), AllOf(HasSubstr("\"prod\""), HasSubstr("dev")));
  options_.context.clear();
  write("k", kubeconfig("{token: x}", ", proxy-url: \"http://proxy:3128\""));
  EXPECT_EQ(load_error(),
            path("k") +
                ": cluster c: proxy-url \"http://proxy:3128\": proxies are not supported; want "
                "a server that is reached directly");
  write("k", kubeconfig("{tokenFile: token}"));
  EXPECT_THAT(load_error(), AllOf(HasSubstr("token " + path("token")), HasSubstr("No such file")));
  write("k",
        "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\", certificate-authority: "
        "ca}}]\n"
        "contexts: [{name: dev, context: {cluster: c}}]\ncurrent-context: dev\n");
  EXPECT_THAT(load_error(), AllOf(HasSubstr(path("ca")), HasSubstr("No such file")));
  write("ca", "nonsense");
  EXPECT_THAT(load_error(), HasSubstr(path("ca") + ": no certificate can be read"));
  EXPECT_EQ(load_error().find('\n'), std::string::npos);
}

TEST_F(CredentialsTest, UserNameAndPasswordAreBasic) {
  options_.kubeconfig = write("k", kubeconfig("{username: a, password: b}"));
  EXPECT_EQ(access(*loaded())->authorization, "Basic " + to_base64("a:b"));
}

TEST_F(CredentialsTest, ATokenFileIsReadAgainAfterARejection) {
  write("token", "one\n");
  options_.kubeconfig = write("k", kubeconfig("{tokenFile: token, as: other}"));
  const auto credentials = loaded();
  EXPECT_EQ(access(*credentials)->authorization, "Bearer one");
  EXPECT_EQ(access(*credentials)->impersonate, "other");
  write("token", "two\n");
  EXPECT_EQ(access(*credentials)->authorization, "Bearer one") << "read less than a minute ago";
  credentials->reject();
  EXPECT_EQ(access(*credentials)->authorization, "Bearer two");
}

TEST_F(CredentialsTest, ATokenFileIsReadAgainAfterAMinute) {
  TokenFile file(write("token", "one"));
  const TimePoint begin{std::chrono::hours(1)};
  EXPECT_EQ(file.token(begin).value(), "one");
  write("token", "two");
  EXPECT_EQ(file.token(begin + 59s).value(), "one");
  EXPECT_EQ(file.token(begin + 60s).value(), "two");
  std::filesystem::remove(path("token"));
  EXPECT_EQ(file.token(begin + 120s).value(), "two") << "the last one that could be read";
  file.forget();
  EXPECT_EQ(file.token(begin + 121s).error().kind(), ErrorKind::kNotFound);
  write("token", "two words");
  EXPECT_EQ(
      to_string(file.token(begin + 122s).error()),
      "token " + path("token") + ": has a space or a control character within; want one token");
}

TEST_F(CredentialsTest, APodHasItsServiceAccount) {
  const test::TestCa ca;
  write("ca.crt", ca.certificate());
  write("token", "pod-token");
  write("namespace", "autoscaling");
  options_.service_account = path("");
  options_.service_account.pop_back();
  options_.environment["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  options_.environment["KUBERNETES_SERVICE_PORT"] = "6443";
  const auto credentials = loaded();
  EXPECT_EQ(credentials->server().url, "https://[fd00::1]:6443");
  EXPECT_EQ(credentials->ns(), "autoscaling");
  EXPECT_EQ(access(*credentials)->authorization, "Bearer pod-token");
  EXPECT_NE(access(*credentials)->tls, nullptr);
  write("token", "next");
  credentials->reject();
  EXPECT_EQ(access(*credentials)->authorization, "Bearer next");
  std::filesystem::remove(path("ca.crt"));
  EXPECT_THAT(load_error(), HasSubstr("ca.crt"));
}

std::string plugin_user(const std::string& command, const std::string& more = {}) {
  return "{exec: {apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, command: "
         "\"" +
         command + "\"" + more + "}}";
}

std::string credential(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" +
         status + "}";
}

TEST_F(CredentialsTest, APluginRunsOnceUntilItIsRejectedOrExpires) {
  const std::string answer = write("answer", credential(R"({"token":"t-ARG"})"));
  const std::string plugin =
      script("plugin", "echo run >> \"" + path("runs") + "\"\n[ \"$FLAVOR\" = x ] || exit 9\n" +
                           "echo \"$KUBERNETES_EXEC_INFO\" > \"" + path("asked") +
                           "\"\nsed \"s/ARG/$1/\" \"" + answer + "\"\n");
  options_.kubeconfig =
      write("k", kubeconfig(plugin_user(plugin,
                                        ", args: [abc], env: [{name: FLAVOR, value: x}], "
                                        "provideClusterInfo: true")));
  const auto credentials = loaded();
  const auto runs = [&] {
    std::ifstream file(path("runs"));
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  EXPECT_EQ(runs(), 0) << "not before it is needed";
  EXPECT_EQ(access(*credentials).value().authorization, "Bearer t-abc");
  EXPECT_EQ(access(*credentials).value().authorization, "Bearer t-abc");
  EXPECT_EQ(runs(), 1);
  std::ifstream asked(path("asked"));
  const std::string info((std::istreambuf_iterator<char>(asked)), {});
  EXPECT_THAT(info,
              AllOf(HasSubstr("\"server\":\"http://127.0.0.1:1\""), HasSubstr("ExecCredential")));
  credentials->reject();
  EXPECT_EQ(access(*credentials).value().authorization, "Bearer t-abc");
  EXPECT_EQ(runs(), 2);
  script("plugin",
         "echo run >> \"" + path("runs") + "\"\necho '" +
             credential(R"({"token":"old","expirationTimestamp":"2020-01-01T00:00:00Z"})") + "'\n");
  credentials->reject();
  EXPECT_EQ(access(*credentials).value().authorization, "Bearer old");
  EXPECT_EQ(access(*credentials).value().authorization, "Bearer old");
  EXPECT_EQ(runs(), 4) << "its answer has expired each time";
}

TEST_F(CredentialsTest, ManyCallsAtOnceShareOneRunOfThePlugin) {
  const std::string plugin = script("plugin", "echo run >> \"" + path("runs") + "\"\necho '" +
                                                  credential(R"({"token":"t"})") + "'\n");
  options_.kubeconfig = write("k", kubeconfig(plugin_user(plugin)));
  const auto credentials = loaded();
  int done = 0;
  run_task<void>(io_, [&]() -> Awaitable<void> {
    http::TaskGroup tasks(io_);
    for (int i = 0; i < 10; ++i) {
      tasks.spawn("call", [&]() -> Awaitable<void> {
        const auto got = co_await credentials->access(in(20s));
        if (got && got->authorization == "Bearer t") ++done;
      });
    }
    const Result<void> joined = co_await tasks.join(in(30s));
    EXPECT_TRUE(joined.has_value());
  });
  EXPECT_EQ(done, 10);
  EXPECT_EQ(std::filesystem::file_size(path("runs")), 4U);
}

TEST_F(CredentialsTest, APluginThatFailsIsQuoted) {
  const std::string plugin =
      script("plugin", "echo 'token expired,' >&2\necho 'run login' >&2\nexit 3\n");
  options_.kubeconfig = write("k", kubeconfig(plugin_user(plugin)));
  EXPECT_EQ(to_string(access(*loaded()).error()),
            "exec plugin " + plugin + ": exit code 3: token expired, run login");
  const auto credentials = loaded();
  EXPECT_FALSE(access(*credentials).has_value());
  script("plugin", "echo never run > \"" + path("ran") + "\"\n");
  EXPECT_THAT(to_string(access(*credentials).error()), HasSubstr("exit code 3"));
  EXPECT_FALSE(std::filesystem::exists(path("ran"))) << "its failure counts for a while";
  script("plugin", "echo nonsense\n");
  EXPECT_THAT(to_string(access(*loaded()).error()), HasSubstr("want an ExecCredential"));
}

TEST_F(CredentialsTest, APluginThatIsNotThereComesWithItsHint) {
  options_.kubeconfig = write(
      "k", kubeconfig(plugin_user("no-such-plugin-here", ", installHint: \"get it from us\"")));
  const auto got = access(*loaded());
  EXPECT_EQ(got.error().kind(), ErrorKind::kNotFound);
  EXPECT_THAT(to_string(got.error()),
              AllOf(HasSubstr("exec plugin no-such-plugin-here"), HasSubstr("; get it from us")));
}

TEST_F(CredentialsTest, APluginThatDoesNotEndIsKilled) {
  const std::string plugin =
      script("plugin", "echo $$ > \"" + path("pid") + "\"\necho waiting >&2\nexec sleep 1000\n");
  options_.kubeconfig = write("k", kubeconfig(plugin_user(plugin)));
  const auto got = access(*loaded(), 300ms);
  EXPECT_EQ(got.error().kind(), ErrorKind::kTimeout);
  EXPECT_THAT(to_string(got.error()), HasSubstr("not ended within"));
  pid_t pid = 0;
  std::ifstream(path("pid")) >> pid;
  EXPECT_GT(pid, 0);
  EXPECT_EQ(::kill(pid, 0), -1) << "it is still there";
}

TEST_F(CredentialsTest, ClientCertificatesOfTheFileAndOfAPluginAreShownToTheServer) {
  const test::TestCa ca;
  const test::TestCa client_ca("clients");
  const auto server_certificate = ca.sign_localhost();
  http::TlsServerSettings serving;
  serving.certificate = {.path = {}, .text = server_certificate.certificate, .name = "test"};
  serving.key = {.path = {}, .text = server_certificate.key, .name = "test"};
  serving.client_ca = {.path = {}, .text = client_ca.certificate(), .name = "test"};
  const auto tls = http::make_tls_server(serving).value();
  http::ServiceServer server(io_, {.tls = tls.get()});
  server.route("GET", "/version", [](http::Request) -> Awaitable<http::Response> {
    http::Response response;
    response.body = "{}";
    co_return response;
  });
  const Endpoint at = server.listen({.host = "127.0.0.1", .port = 0, .unix_path = {}}).value();
  const auto user = client_ca.sign({.common_name = "dev"});
  const auto config = [&](const std::string& who) {
    return "current-context: dev\nclusters: [{name: c, cluster: {server: \"https://" +
           to_string(at) + "\", certificate-authority-data: " + to_base64(ca.certificate()) +
           "}}]\ncontexts: [{name: dev, context: {cluster: c, user: u}}]\nusers: [{name: u, "
           "user: " +
           who + "}]\n";
  };
  const auto call = [&]() -> Result<std::string> {
    const auto credentials = loaded();
    SeededRandom random(1);
    ApiClient client(io_, credentials, random);
    return run_task<Result<std::string>>(io_, [&] { return client.call(ApiRequest("/version")); });
  };
  options_.kubeconfig = write("k", config("{}"));
  EXPECT_THAT(to_string(call().error()), HasSubstr("certificate required"));
  write("k", config("{client-certificate-data: " + to_base64(user.certificate) +
                    ", client-key-data: " + to_base64(user.key) + "}"));
  EXPECT_EQ(call().value(), "{}");

  const auto escaped = [](std::string text) {
    for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; ++i) {
      text.replace(i, 1, "\\n");
    }
    return text;
  };
  const std::string answer =
      write("answer", credential(R"({"clientCertificateData":")" + escaped(user.certificate) +
                                 R"(","clientKeyData":")" + escaped(user.key) + "\"}"));
  const std::string plugin = script("plugin", "cat \"" + answer + "\"\n");
  write("k", config(plugin_user(plugin)));
  EXPECT_EQ(call().value(), "{}");
}

TEST(ServerUrl, ItsFormsAreReadAndOthersNamed) {
  const auto url = [](const char* text) {
    const auto read = parse_server_url(text, "server");
    return read ? (read->is_tls ? "tls " : "plain ") + to_string(read->server.endpoint) + " " +
                      read->server.base_path
                : to_string(read.error());
  };
  EXPECT_EQ(url("https://10.0.0.1:6443"), "tls 10.0.0.1:6443 ");
  EXPECT_EQ(url("https://api.example/k8s/c-1/"), "tls api.example:443 /k8s/c-1");
  EXPECT_EQ(url("https://[fd00::1]"), "tls [fd00::1]:443 ");
  EXPECT_EQ(url("http://localhost"), "plain localhost:80 ");
  EXPECT_EQ(url("localhost:8080"), "plain localhost:8080 ");
  for (const char* wrong : {"", "ftp://x", "https://", "https://a b", "https://u@h", "https://h?x",
                            "https://h:99999", "unix:/x"}) {
    EXPECT_THAT(url(wrong), HasSubstr("want https://HOST:PORT")) << wrong;
  }
}

}  // namespace
}  // namespace bellows::kubernetes
