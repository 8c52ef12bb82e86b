#include "cluster/kubernetes/core/service_route.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/kubernetes/core/conditions.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using testing::HasSubstr;

kubernetes::Container container(const std::string& name,
                                const std::vector<std::pair<std::string, std::uint16_t>>& ports) {
  kubernetes::Container made;
  made.name = name;
  for (const auto& [port, number] : ports) {
    made.ports.push_back({.name = port, .port = number, .protocol = "TCP"});
  }
  return made;
}

const std::vector<kubernetes::Container> kInjected = {
    container("app", {{"user-port", 8080}}),
    container("queue-proxy", {{"http", 8012}, {"queue-port", 8013}, {"bellows-admin", 8022}})};
const std::vector<kubernetes::Container> kNotInjected = {container("app", {})};

/// `ports`: a JSON list; `spec`: further members with a comma before each.
ServiceRoute routed(const std::string& ports, const std::string& spec = {},
                    const std::vector<kubernetes::Container>& containers = kInjected,
                    std::optional<std::uint16_t> told = {}, const std::string& meta = {},
                    bool are_on_each_node = false) {
  const auto service =
      test::object<kubernetes::Service>("{'metadata':{'namespace':'shop','name':'web'" + meta +
                                        "},'spec':{'ports':" + ports + spec + "}}");
  return route_of(*service, containers, told, are_on_each_node);
}

TEST(ServiceRoute, TheRequestsOfThePortThatLeadsToTheQueueProxy) {
  const ServiceRoute named = routed("[{'name':'http','port':80,'targetPort':'http'}]");
  EXPECT_TRUE(named.is_possible()) << named.message;
  EXPECT_EQ(named.port.name, "http");
  EXPECT_EQ(named.target_port, 8012);
  EXPECT_EQ(routed("[{'port':8012}]").target_port, 8012);
  const ServiceRoute second = routed(
      "[{'name':'db','port':5432,'targetPort':5432},{'name':'web','port':80,"
      "'targetPort':8012}]");
  EXPECT_EQ(second.port.name, "web");
  EXPECT_THAT(second.message, HasSubstr("only port web"));
}

kubernetes::StringMap labelled(const std::string& value) {
  return kubernetes::StringMap({{"inject.bellows.dev/inject", value}});
}

TEST(ServiceRoute, OfATemplateWhosePodsAreInjectedAsTheyAreMade) {
  const std::vector<kubernetes::Container> app = {container("app", {{"web", 8080}})};
  const auto injected = as_injected(app, labelled("enabled"));
  const ServiceRoute named = routed("[{'port':80,'targetPort':'web'}]", "", injected);
  EXPECT_TRUE(named.is_possible()) << named.message;
  EXPECT_EQ(named.target_port, 8012);
  const ServiceRoute number = routed("[{'port':80,'targetPort':8080}]", "", injected);
  EXPECT_EQ(number.reason, kQueueProxyBypassed);
  EXPECT_THAT(number.message, HasSubstr("change that line to web"));
  EXPECT_EQ(as_injected(app, labelled("disabled")), app);
  EXPECT_EQ(as_injected(app, {}), app);
  EXPECT_EQ(as_injected(kInjected, labelled("enabled")), kInjected);
  const auto several = {container("app", {{"web", 8080}, {"rpc", 9090}})};
  EXPECT_EQ(as_injected(several, labelled("enabled")).size(), 1U);
}

TEST(ServiceRoute, APortOfHttp2IsAsGoodAsOneOfHttp1) {
  for (const std::string protocol : {"kubernetes.io/h2c", "h2c", "grpc", "http"}) {
    const ServiceRoute route =
        routed("[{'name':'calls','port':80,'targetPort':'http','appProtocol':'" + protocol + "'}]");
    EXPECT_TRUE(route.is_possible()) << route.message;
    EXPECT_EQ(route.port.app_protocol, protocol) << "the slice says it too";
  }
  const std::vector<kubernetes::Container> injected = {container("queue-proxy", {{"h2c", 8012}})};
  const ServiceRoute named = routed("[{'name':'h2c','port':80,'targetPort':'h2c'}]", "", injected);
  EXPECT_TRUE(named.is_possible()) << named.message;
  EXPECT_EQ(named.target_port, 8012);
}

TEST(ServiceRoute, SaysWhichLineToChange) {
  const ServiceRoute route = routed("[{'name':'http','port':80,'targetPort':8080}]");
  EXPECT_EQ(route.reason, kQueueProxyBypassed);
  EXPECT_EQ(route.message,
            "Service web: spec.ports[0].targetPort is 8080, which is no port of the container "
            "queue-proxy; change that line to http");
  EXPECT_EQ(routed("[{'port':80,'targetPort':'bellows-admin'}]").reason, kQueueProxyBypassed);
}

TEST(ServiceRoute, ServicesThatNoActivatorCanJoin) {
  const std::string port = "[{'name':'http','port':80,'targetPort':'http'}]";
  EXPECT_EQ(routed(port, ",'clusterIP':'None'").reason, kHeadlessService);
  EXPECT_EQ(routed(port, ",'type':'ExternalName'").reason, kExternalName);
  EXPECT_EQ(routed(port, ",'internalTrafficPolicy':'Local'").reason, kTrafficPolicyLocal);
  const ServiceRoute outside =
      routed(port, ",'type':'LoadBalancer','externalTrafficPolicy':'Local'");
  EXPECT_EQ(outside.reason, kTrafficPolicyLocal);
  EXPECT_THAT(outside.message, HasSubstr("externalTrafficPolicy"));
  EXPECT_EQ(routed(port, "", kNotInjected).reason, kQueueProxyMissing);
  EXPECT_EQ(routed("[]").reason, kNoTcpPort);
  EXPECT_EQ(routed("[{'port':53,'protocol':'UDP'}]").reason, kNoTcpPort);
}

TEST(ServiceRoute, WithTheTrafficPolicyLocalTakesAnActivatorOnEachNode) {
  const std::string port = "[{'name':'http','port':80,'targetPort':'http'}]";
  for (const char* policy : {",'internalTrafficPolicy':'Local'",
                             ",'type':'LoadBalancer','externalTrafficPolicy':'Local'"}) {
    const ServiceRoute local = routed(port, policy, kInjected, {}, "", true);
    EXPECT_TRUE(local.is_possible()) << local.message;
    EXPECT_TRUE(local.is_local);
  }
  EXPECT_FALSE(routed(port, "", kInjected, {}, "", true).is_local);
  EXPECT_EQ(
      routed(port, ",'clusterIP':'None','internalTrafficPolicy':'Local'", kInjected, {}, "", true)
          .reason,
      kHeadlessService);
}

TEST(ServiceRoute, WhatAUserShouldKnow) {
  const std::string port = "[{'name':'http','port':80,'targetPort':'http'}]";
  EXPECT_THAT(routed(port, ",'sessionAffinity':'ClientIP'").message, HasSubstr("sessionAffinity"));
  EXPECT_TRUE(
      routed(port, ",'type':'LoadBalancer','externalTrafficPolicy':'Cluster'").is_possible());
  EXPECT_TRUE(routed(port, "", kNotInjected, 8080).is_possible())
      << "spec.port says where pods take requests";
  EXPECT_FALSE(routed(port).is_front);
  EXPECT_TRUE(
      routed(port, "", kInjected, {}, ",'annotations':{'bellows.dev/front':'true'}").is_front);
  EXPECT_FALSE(routed(port, ",'selector':{'app':'web'}", kInjected, {},
                      ",'annotations':{'bellows.dev/front':'true'}")
                   .is_front)
      << "the control plane fills it";
}

}  // namespace
}  // namespace bellows::cluster
