// Objects of the API server for tests, from the JSON that the server sends.
#pragma once

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/kubernetes/core/directory.hpp"

namespace bellows::test {

inline const RevisionId kWeb("shop/web");

/// T::from() of `json`, written with single quotes.
template <class T>
std::shared_ptr<const T> object(std::string json) {
  for (char& each : json) each = each == '\'' ? '"' : each;
  auto read = T::from(boost::json::parse(json).as_object());
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? std::make_shared<const T>(*std::move(read)) : std::make_shared<const T>();
}

/// `members` of a Deployment's metadata: "'labels':{...}", or empty.
struct DeploymentText {
  std::string name = "web";
  std::string uid = "uid-web";
  std::string version = "10";
  int replicas = 2;
  std::string labels = "{}";
  std::string annotations = "{}";
  std::string template_annotations = "{}";
  std::string conditions = "[]";
};

inline cluster::TargetPtr deployment(const DeploymentText& text = {}) {
  return object<kubernetes::ScaleTarget>(
      "{'metadata':{'namespace':'shop','name':'" + text.name + "','uid':'" + text.uid +
      "','resourceVersion':'" + text.version + "','labels':" + text.labels + ",'annotations':" +
      text.annotations + "},'spec':{'replicas':" + std::to_string(text.replicas) +
      ",'selector':{'matchLabels':{'app':'" + text.name +
      "'}},'template':{'metadata':{'labels':{'app':'" + text.name +
      "','tier':'front'},'annotations':" + text.template_annotations +
      "}}},'status':{'conditions':" + text.conditions + "}}");
}

/// `spec` and `status` are the members' JSON.
inline cluster::RevisionObjectPtr revision(const std::string& name = "web",
                                           const std::string& spec = {},
                                           const std::string& status = "{}",
                                           const std::string& target = "web") {
  return object<cluster::RevisionObject>(
      "{'metadata':{'namespace':'shop','name':'" + name + "','uid':'uid-revision-" + name +
      "','resourceVersion':'5','generation':3},'spec':{'scaleTargetRef':{'apiVersion':'apps/"
      "v1','kind':'Deployment','name':'" +
      target + "'}" + (spec.empty() ? "" : "," + spec) + "},'status':" + status + "}");
}

struct PodText {
  std::string name = "web-abc-1";
  std::string owner = "web-abc";
  std::string labels = "{'app':'web','tier':'front','pod-template-hash':'abc'}";
  std::string meta = {};  ///< further members of metadata, each with a comma before it
  std::string spec = "{'nodeName':'node-1','containers':[{'name':'app'},{'name':'queue-proxy'}]}";
  std::string status =
      "{'phase':'Running','podIP':'10.0.0.1','conditions':[{'type':'Ready',"
      "'status':'True','lastTransitionTime':'2026-11-23T01:00:05Z'}]}";
  std::string version = "20";
};

inline cluster::PodPtr pod(const PodText& text = {}) {
  const std::string owner = text.owner.empty()
                                ? std::string()
                                : ",'ownerReferences':[{'apiVersion':'apps/v1','kind':'ReplicaSet',"
                                  "'name':'" +
                                      text.owner + "','uid':'uid-rs','controller':true}]";
  return object<kubernetes::Pod>(
      "{'metadata':{'namespace':'shop','name':'" + text.name + "','uid':'uid-" + text.name +
      "','resourceVersion':'" + text.version +
      "','creationTimestamp':'2026-11-23T01:00:00Z','labels':" + text.labels + owner + text.meta +
      "},'spec':" + text.spec + ",'status':" + text.status + "}");
}

inline cluster::ServicePtr service(const std::string& name, const std::string& selector) {
  return object<kubernetes::Service>(
      "{'metadata':{'namespace':'shop','name':'" + name + "','uid':'uid-" + name +
      "','resourceVersion':'1'},'spec':{'selector':" + selector + "}}");
}

}  // namespace bellows::test
