#include "kubernetes/core/kubeconfig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/timestamp_text.hpp"
#include "base/yaml/document_reader.hpp"
#include "kubernetes/core/exec_credential.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

Document document(const char* file, const std::string& yaml) {
  auto parsed = yaml::parse_document(file, yaml);
  EXPECT_TRUE(parsed);
  return parsed ? *parsed : Document();
}

constexpr auto kConfig = R"(
apiVersion: v1
kind: Config
current-context: shop
clusters:
  - name: c
    cluster:
      server: https://10.0.0.1:6443
      certificate-authority-data: Zm9v
      tls-server-name: kubernetes
      extensions:
        - name: client.authentication.k8s.io/exec
          extension: {audience: "a b", n: 3, l: [x, true], z: 007}
users:
  - name: u
    user: {client-certificate: pki/u.crt, client-key: /etc/u.key}
  - name: plugin
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        command: ./bin/token
        args: [get, "--cluster"]
        env: [{name: A, value: b}]
        provideClusterInfo: true
        installHint: |
          Install it.
        interactiveMode: IfAvailable
contexts:
  - name: shop
    context: {cluster: c, user: u, namespace: shop}
  - name: exec
    context: {cluster: c, user: plugin}
  - {name: nobody, context: {cluster: c}}
  - {name: lost, context: {cluster: none, user: u}}
  - {name: lost-user, context: {cluster: c, user: none}}
)";

Kubeconfig config() {
  return Kubeconfig::from({document("/home/a/.kube/config", kConfig)}).value();
}

TEST(Kubeconfig, TheCurrentContextWithEverythingThatAConnectionNeeds) {
  const auto context = config().context();
  ASSERT_TRUE(context) << error_of(context);
  EXPECT_EQ(context->name, "shop");
  EXPECT_EQ(context->ns, "shop");
  EXPECT_EQ(context->cluster.server, "https://10.0.0.1:6443");
  EXPECT_EQ(context->cluster.certificate_authority.data, "foo");
  EXPECT_EQ(context->cluster.tls_server_name, "kubernetes");
  EXPECT_EQ(context->user.client_certificate.file, "/home/a/.kube/pki/u.crt");
  EXPECT_EQ(context->user.client_key.file, "/etc/u.key");
  EXPECT_FALSE(context->user.exec);
}

TEST(Kubeconfig, AnExecPluginAndItsCluster) {
  const auto context = config().context("exec");
  ASSERT_TRUE(context && context->user.exec);
  const ExecPlugin& plugin = *context->user.exec;
  EXPECT_EQ(plugin.command, "/home/a/.kube/./bin/token");
  EXPECT_THAT(plugin.args, ElementsAre("get", "--cluster"));
  EXPECT_THAT(plugin.env, ElementsAre(Pair("A", "b")));
  EXPECT_EQ(plugin.install_hint, "Install it.\n");
  EXPECT_EQ(context->cluster.exec_config, R"({"audience":"a b","n":3,"l":["x",true],"z":"007"})");
  EXPECT_EQ(
      exec_credential_request(plugin, context->cluster, "foo"),
      json_of("{'kind':'ExecCredential','apiVersion':'client.authentication.k8s.io/v1',"
              "'spec':{'interactive':false,'cluster':{'server':'https://10.0.0.1:6443',"
              "'tls-server-name':'kubernetes','certificate-authority-data':'Zm9v','config':") +
          context->cluster.exec_config + "}}}");
}

TEST(Kubeconfig, OfSeveralFilesTheFirstThatHasANameCounts) {
  const auto merged = Kubeconfig::from(
      {document("first", "contexts: [{name: shop, context: {cluster: c, namespace: other}}]"),
       document("/b/second", kConfig),
       document("third", "current-context: exec\nclusters: [{name: c, cluster: {server: x}}]")});
  ASSERT_TRUE(merged) << error_of(merged);
  const auto context = merged->context();
  ASSERT_TRUE(context) << error_of(context);
  EXPECT_EQ(context->ns, "other");
  EXPECT_EQ(context->cluster.server, "https://10.0.0.1:6443");
}

TEST(Kubeconfig, WhatIsMissingIsNamedInOneLine) {
  const Kubeconfig read = config();
  EXPECT_EQ(
      error_of(read.context("prod")),
      "/home/a/.kube/config: context \"prod\": unknown; want one of shop, exec, nobody, lost, "
      "lost-user");
  EXPECT_THAT(error_of(read.context("lost")), HasSubstr("cluster \"none\" is not in the file"));
  EXPECT_THAT(error_of(read.context("lost-user")), HasSubstr("user \"none\" is not in the file"));
  EXPECT_TRUE(read.context("nobody"));
  EXPECT_THAT(error_of(Kubeconfig::from({document("a", "")})->context()),
              HasSubstr("no current-context"));
}

TEST(Kubeconfig, AWrongValueNamesFileLineAndKeyAndNoSecret) {
  const auto problem = [](const char* yaml) {
    return error_of(Kubeconfig::from({document("f", yaml)}));
  };
  EXPECT_EQ(problem("clusters:\n  - name: c\n    cluster: {server: [a]}"),
            "f:3: clusters[0].cluster.server: want a text");
  EXPECT_EQ(problem("users: [{name: u, user: {client-key-data: s3cret!}}]"),
            "f:1: users[0].user.client-key-data: want base64");
  EXPECT_EQ(problem("clusters: {}"), "f:1: clusters: want a list");
  EXPECT_EQ(problem("clusters: [{name: c, cluster: {insecure-skip-tls-verify: maybe}}]"),
            "f:1: clusters[0].cluster.insecure-skip-tls-verify: want true or false");
}

ExecPlugin plugin() {
  ExecPlugin made;
  made.api_version = "client.authentication.k8s.io/v1beta1";
  made.command = "token";
  return made;
}

TEST(ExecCredential, ATokenThatExpires) {
  const auto credential = parse_exec_credential(
      plugin(),
      json_of("{'kind':'ExecCredential','apiVersion':'client.authentication.k8s.io/v1beta1',"
              "'status':{'token':'t','expirationTimestamp':'2026-11-20T09:00:00Z'}}"));
  ASSERT_TRUE(credential) << error_of(credential);
  EXPECT_EQ(credential->token, "t");
  EXPECT_EQ(credential->expires, parse_timestamp("2026-11-20T09:00:00Z"));
}

TEST(ExecCredential, OtherOutputIsNamedWithoutItsSecrets) {
  const auto problem = [](const std::string& status, const char* version = "v1beta1") {
    return error_of(parse_exec_credential(
        plugin(), json_of("{'kind':'ExecCredential','apiVersion':'client.authentication.k8s.io/") +
                      version + json_of("','status':" + status + "}")));
  };
  EXPECT_THAT(problem("{}"), HasSubstr("neither a token nor a certificate"));
  EXPECT_THAT(problem("{'clientKeyData':'s3cret'}"), HasSubstr("want both"));
  EXPECT_THAT(problem("{'clientKeyData':'s3cret'}"), Not(HasSubstr("s3cret")));
  EXPECT_THAT(problem("{'token':['s3cret']}"), Not(HasSubstr("s3cret")));
  EXPECT_THAT(problem("{'token':'t'}", "v1"), HasSubstr("want an ExecCredential of"));
  EXPECT_EQ(error_of(parse_exec_credential(plugin(), "s3cret")),
            "output of token: want an ExecCredential as JSON");
}

}  // namespace
}  // namespace bellows::kubernetes
