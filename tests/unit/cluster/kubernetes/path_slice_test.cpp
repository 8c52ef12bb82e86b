#include "cluster/kubernetes/core/path_slice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/kubernetes/core/activator_list.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "tests/unit/cluster/kubernetes/objects.hpp"

namespace bellows::cluster {
namespace {

using kubernetes::EndpointSlice;
using kubernetes::SliceEndpoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr SliceFeatures kNew{.is_v1 = true, .has_serving = true};
constexpr SliceFeatures kOld{.is_v1 = false, .has_serving = false};

Activator activator(const std::string& name, const std::string& zone = "zone-a") {
  return {.name = PodName(name),
          .address = "10.0.0." + std::to_string(name.size()),
          .node = "node-1",
          .zone = zone,
          .is_ready = true};
}

struct World {
  std::shared_ptr<const kubernetes::Service> service = test::service("web", "{'app':'web'}");
  EndpointSlice wanted(std::vector<SliceEndpoint> endpoints, std::uint16_t number = 20001) const {
    SliceSubject subject;
    subject.revision = "web";
    subject.target = "apps/v1 Deployment web";
    subject.replicas_before = 2;
    subject.service = service.get();
    subject.port.name = "http";
    subject.number = number;
    subject.address_type = "IPv4";
    return wanted_slice(subject, std::move(endpoints));
  }
};

/// What the server would list.
EndpointSlice listed(const std::string& json) {
  return *test::object<EndpointSlice>(json);
}

TEST(PathSlice, AsV1) {
  const std::string json =
      slice_json(World().wanted({activator_endpoint(activator("a"), "bellows-system", false),
                                 activator_endpoint(activator("bb"), "bellows-system", true)}),
                 kNew);
  EXPECT_EQ(
      json,
      R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop",)"
      R"("name":"web-bellows","labels":{"endpointslice.kubernetes.io/managed-by":"bellows.dev",)"
      R"("kubernetes.io/service-name":"web"},"annotations":{"bellows.dev/activator-port":"20001",)"
      R"("bellows.dev/replicas-before":"2","bellows.dev/revision":"web","bellows.dev/target":)"
      R"("apps/v1 Deployment web"},"ownerReferences":[{"apiVersion":"v1","kind":"Service","name":)"
      R"("web","uid":"uid-web","controller":true}]},"addressType":"IPv4","endpoints":[)"
      R"({"addresses":["10.0.0.1"],"conditions":{"ready":true,"serving":true,"terminating":false},)"
      R"("targetRef":{"kind":"Pod","name":"a","namespace":"bellows-system"},"nodeName":"node-1",)"
      R"("zone":"zone-a"},)"
      R"({"addresses":["10.0.0.2"],"conditions":{"ready":false,"serving":true,"terminating":true},)"
      R"("targetRef":{"kind":"Pod","name":"bb","namespace":"bellows-system"},"nodeName":"node-1",)"
      R"("zone":"zone-a"}],"ports":[{"name":"http","port":20001,"protocol":"TCP"}]})");
}

TEST(PathSlice, AsV1beta1PlacesAreInTheTopologyAndConditionsAreOne) {
  const std::string json = slice_json(
      World().wanted({activator_endpoint(activator("a"), "bellows-system", false)}), kOld, "77");
  EXPECT_THAT(json, HasSubstr(R"("apiVersion":"discovery.k8s.io/v1beta1")"));
  EXPECT_THAT(json, HasSubstr(R"("resourceVersion":"77")"));
  EXPECT_THAT(json, HasSubstr(R"("conditions":{"ready":true},)"));
  EXPECT_THAT(json, HasSubstr(R"("topology":{"kubernetes.io/hostname":"node-1",)"
                              R"("topology.kubernetes.io/zone":"zone-a"})"));
  EXPECT_THAT(json, Not(HasSubstr("nodeName")));
}

TEST(PathSlice, WhatTheServerKeptIsAsWanted) {
  const World world;
  for (const SliceFeatures features : {kNew, kOld}) {
    const EndpointSlice wanted =
        world.wanted({activator_endpoint(activator("a"), "bellows-system", false)});
    const EndpointSlice kept = listed(slice_json(wanted, features));
    EXPECT_TRUE(is_as_wanted(kept, wanted, features)) << slice_json(wanted, features);
    EXPECT_EQ(activator_port_of(kept), 20001);
  }
}

TEST(PathSlice, AnythingThatAHandChangedIsNoticed) {
  const World world;
  const EndpointSlice wanted =
      world.wanted({activator_endpoint(activator("a"), "bellows-system", false)});
  const std::string json = slice_json(wanted, kNew);
  const std::vector<std::pair<std::string, std::string>> edits = {
      {R"("ready":true)", R"("ready":false)"},
      {"10.0.0.1", "10.0.0.9"},
      {R"("port":20001)", R"("port":20002)"},
      {R"([{"name":"http")", R"([{"name":"web")"},
      {R"("kubernetes.io/service-name":"web")", R"("kubernetes.io/service-name":"other")"},
      {R"("bellows.dev/activator-port":"20001")", R"("bellows.dev/activator-port":"1")"},
      {"zone-a", "zone-b"},
      {R"("uid":"uid-web")", R"("uid":"uid-of-a-service-before")"},
      {R"("terminating":false)", R"("terminating":true)"}};
  for (const auto& [from, to] : edits) {
    std::string edited = json;
    const std::size_t at = edited.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    edited.replace(at, from.size(), to);
    EXPECT_FALSE(is_as_wanted(listed(edited), wanted, kNew)) << to;
  }
}

TEST(PathSlice, EachZoneWithAHintHasAnActivator) {
  const EndpointSlice others = listed(
      "{'metadata':{'namespace':'shop','name':'web-x'},'addressType':'IPv4','endpoints':["
      "{'addresses':['1.1.1.1'],'conditions':{'ready':true},'hints':{'forZones':[{'name':'zone-a'}]"
      "}},{'addresses':['1.1.1.2'],'conditions':{'ready':true},'hints':{'forZones':[{'name':"
      "'zone-b'}]}},{'addresses':['1.1.1.3'],'conditions':{'ready':false}}]}");
  std::vector<SliceEndpoint> endpoints = {activator_endpoint(activator("a", "zone-a"), "b", false),
                                          activator_endpoint(activator("c", "zone-c"), "b", false)};
  add_hints(endpoints, {&others});
  EXPECT_THAT(endpoints[0].hint_zones, ElementsAre("zone-a", "zone-b"));
  EXPECT_THAT(endpoints[1].hint_zones, ElementsAre("zone-c", "zone-b"));
  EXPECT_THAT(slice_json(World().wanted(endpoints), kNew),
              HasSubstr(R"("hints":{"forZones":[{"name":"zone-a"},{"name":"zone-b"}]})"));
}

TEST(PathSlice, OneEndpointWithoutAHintMeansThatThereAreNone) {
  const EndpointSlice others = listed(
      "{'metadata':{'namespace':'shop','name':'web-x'},'endpoints':[{'addresses':['1.1.1.1'],"
      "'hints':{'forZones':[{'name':'zone-a'}]}},{'addresses':['1.1.1.2']}]}");
  std::vector<SliceEndpoint> endpoints = {activator_endpoint(activator("a"), "b", false)};
  add_hints(endpoints, {&others});
  EXPECT_TRUE(endpoints[0].hint_zones.empty());
}

TEST(PathSlice, OfAKnownDefinitionBelongsToIt) {
  const World world;
  SliceSubject subject;
  subject.service = world.service.get();
  subject.crd_uid = "uid-crd";
  const kubernetes::OwnerReference owner = *wanted_slice(subject, {}).meta.controller();
  EXPECT_EQ(owner.api_version, "apiextensions.k8s.io/v1");
  EXPECT_EQ(owner.kind, "CustomResourceDefinition");
  EXPECT_EQ(owner.name, "revisions.bellows.dev");
  EXPECT_EQ(owner.uid, "uid-crd");
}

/// Endpoints by name, "(a)" for one of the last resort.
using Names = std::vector<std::string>;

EndpointSlice slice_of(const Names& names) {
  EndpointSlice slice;
  slice.meta.annotations = kubernetes::StringMap({{std::string(kSlicePortAnnotation), "20001"}});
  slice.ports = {{.name = {}, .port = 20001, .protocol = "TCP", .app_protocol = {}}};
  for (const std::string& name : names) {
    const bool is_last_resort = name.front() == '(';
    const std::string plain = is_last_resort ? name.substr(1, name.size() - 2) : name;
    slice.endpoints.push_back(
        activator_endpoint(activator(plain), "bellows-system", is_last_resort));
  }
  return slice;
}

/// "(a)" is one that is not ready.
ActivatorList list_of(const Names& names) {
  ActivatorList list{.ns = "bellows-system", .address_type = "IPv4", .activators = {}};
  for (const std::string& name : names) {
    const bool is_ready = name.front() != '(';
    list.activators.push_back(activator(is_ready ? name : name.substr(1, name.size() - 2)));
    list.activators.back().is_ready = is_ready;
  }
  return list;
}

std::optional<Names> names_of(const std::optional<std::vector<SliceEndpoint>>& endpoints) {
  if (!endpoints) return std::nullopt;
  Names names;
  for (const SliceEndpoint& each : *endpoints) {
    names.push_back(each.ready ? each.target_name : "(" + each.target_name + ")");
  }
  return names;
}

/// `ready` are the activators that are ready.
struct HandOver {
  std::string situation;
  Names in_slice;
  Names ready;
  bool has_replica = false;
  std::optional<Names> left;
};

TEST(PathSlice, AnActivatorThatEndsLeavesIfSomebodyTakesTheRequests) {
  const std::vector<HandOver> table = {
      {"another one stays", {"a", "b"}, {"b"}, false, {{"b"}}},
      {"the other one is not ready any more", {"a", "b"}, {}, false, std::nullopt},
      {"the other one is dead and a new one is ready", {"a", "b"}, {"c"}, false, {{"c"}}},
      {"it is the last one", {"a"}, {}, false, std::nullopt},
      {"it is the last one and two are new", {"a"}, {"c", "d"}, false, {{"c", "d"}}},
      {"replicas take the requests", {"a"}, {}, true, {Names()}},
      {"it is a last resort beside replicas", {"(a)", "(b)"}, {"b"}, true, {{"(b)"}}},
      {"it is a last resort and no replica is ready", {"(a)", "(b)"}, {"b"}, false, {{"b"}}},
      {"it is not in the slice", {"b"}, {"b"}, false, std::nullopt},
  };
  for (const HandOver& row : table) {
    const auto left = without_activator(slice_of(row.in_slice), PodName("a"), list_of(row.ready),
                                        row.has_replica);
    EXPECT_EQ(names_of(left), row.left) << row.situation;
  }
}

struct Gone {
  std::string situation;
  Names in_slice;
  Names listed;  ///< activators
  std::optional<Names> left;
};

TEST(PathSlice, ActivatorsTakeThePlacesOfThoseThatAreGone) {
  const std::vector<Gone> table = {
      {"all are there", {"a", "b"}, {"a", "b"}, std::nullopt},
      {"a new one alone changes nothing", {"a"}, {"a", "b"}, std::nullopt},
      {"one that is not ready may return", {"a"}, {"(a)", "b"}, std::nullopt},
      {"one is gone", {"a", "b"}, {"b"}, {{"b"}}},
      {"all are gone and new ones are ready", {"a", "b"}, {"c", "d"}, {{"c", "d"}}},
      {"all are gone and one new one is ready", {"a", "b"}, {"c", "(d)"}, {{"c"}}},
      {"all are gone and nobody is ready", {"a", "b"}, {"(c)"}, std::nullopt},
      {"all are gone and nobody has come", {"a", "b"}, {}, std::nullopt},
      {"one is gone, and the other one not ready", {"a", "b"}, {"(b)", "c"}, {{"c"}}},
      {"those of the last resort are gone", {"(a)", "(b)"}, {"c"}, {{"(c)"}}},
  };
  for (const Gone& row : table) {
    const auto left = without_gone(slice_of(row.in_slice), list_of(row.listed));
    EXPECT_EQ(names_of(left), row.left) << row.situation;
  }
  EndpointSlice of_pods = slice_of({"web-1"});
  of_pods.ports.front().port = 8012;
  EXPECT_EQ(names_of(without_gone(of_pods, list_of({"a"}))), std::nullopt) << "they are pods";
}

TEST(ActivatorList, TheEndpointsOfTheServiceInBothVersions) {
  ServiceSlices slices;
  const auto slice = [](const std::string& name, const std::string& type,
                        const std::string& endpoints) {
    return test::object<EndpointSlice>(
        "{'metadata':{'namespace':'bellows-system','name':'" + name +
        "','labels':{'kubernetes.io/service-name':'acts'}},'addressType':'" + type +
        "','endpoints':[" + endpoints + "]}");
  };
  slices.changed(nullptr,
                 slice("one", "IPv4",
                       "{'addresses':['10.0.0.2'],'conditions':{'ready':true},'targetRef':{'kind':"
                       "'Pod','name':'b'},'nodeName':'n2','zone':'z2'}"));
  slices.changed(nullptr,
                 slice("two", "IPv4",
                       "{'addresses':['10.0.0.1'],'conditions':{'ready':false},'targetRef':{'kind':"
                       "'Pod','name':'a'},'topology':{'kubernetes.io/hostname':'n1',"
                       "'topology.kubernetes.io/zone':'z1'}}"));
  slices.changed(nullptr, slice("six", "IPv6",
                                "{'addresses':['fd00::1'],'targetRef':{'kind':'Pod','name':'b'}}"));
  const ActivatorList list = activators_in(slices.of("bellows-system/acts"));
  EXPECT_EQ(list.address_type, "IPv4");
  EXPECT_EQ(list.ns, "bellows-system");
  EXPECT_THAT(list.activators, ElementsAre(Activator{.name = PodName("a"),
                                                     .address = "10.0.0.1",
                                                     .node = "n1",
                                                     .zone = "z1",
                                                     .is_ready = false},
                                           Activator{.name = PodName("b"),
                                                     .address = "10.0.0.2",
                                                     .node = "n2",
                                                     .zone = "z2",
                                                     .is_ready = true}));
  EXPECT_EQ(list.find(PodName("c")), nullptr);
}

}  // namespace
}  // namespace bellows::cluster
