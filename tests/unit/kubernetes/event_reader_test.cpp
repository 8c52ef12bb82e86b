#include "kubernetes/core/event_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

struct Outcome {
  std::vector<std::string> events;
  std::vector<std::string> rejected;
  std::string error;
  bool at_boundary = false;
};

Outcome read(const std::vector<std::string>& chunks) {
  static const FieldSet kFields{"/metadata/name", "/n"};
  Outcome outcome;
  EventReader reader(
      kFields,
      [&outcome](const WatchEvent& event) -> Result<void> {
        if (event.object.contains("n") && event.object.at("n") == "bad") {
          return fail(ErrorKind::kMalformed, "object", "bad");
        }
        outcome.events.push_back(std::to_string(static_cast<int>(event.type)) + " " +
                                 boost::json::serialize(event.object));
        return {};
      },
      [&outcome](const Error& error) { outcome.rejected.push_back(to_string(error)); });
  for (const std::string& chunk : chunks) {
    const auto fed = reader.feed(chunk);
    if (!fed) outcome.error = to_string(fed.error());
  }
  outcome.at_boundary = reader.at_boundary();
  return outcome;
}

Outcome read(const std::string& text) {
  return read(std::vector{json_of(text)});
}

constexpr auto kWatch =
    "{'type':'ADDED','object':{'metadata':{'name':'a','x':1},'n':1,'m':2}}\n"
    "{'object':{'metadata':{'name':'b'}},'type':'DELETED'}\n"
    "{'type':'BOOKMARK','object':{'kind':'Pod','metadata':{'resourceVersion':'9',"
    "'creationTimestamp':null,'annotations':{'k8s.io/initial-events-end':'true'}}}}\n";

TEST(EventReader, EventsArePrunedAndBookmarksKeepWhatTheySay) {
  const Outcome watch = read(kWatch);
  EXPECT_EQ(watch.error, "");
  EXPECT_TRUE(watch.at_boundary);
  EXPECT_THAT(watch.events,
              ElementsAre(json_of("0 {'metadata':{'name':'a'},'n':1}"),
                          json_of("2 {'metadata':{'name':'b'}}"),
                          json_of("3 {'kind':'Pod','metadata':{'resourceVersion':'9','annotations':"
                                  "{'k8s.io/initial-events-end':'true'}}}")));
}

TEST(EventReader, AnErrorEventKeepsTheStatus) {
  EXPECT_THAT(
      read("{'type':'ERROR','object':{'kind':'Status','status':'Failure','message':'too old',"
           "'reason':'Expired','code':410}}\n")
          .events,
      ElementsAre(json_of("4 {'kind':'Status','status':'Failure','message':'too old',"
                          "'reason':'Expired','code':410}")));
}

TEST(EventReader, ChunksMayBeCutAtAnyByteAndOnlyBetweenEventsIsABoundary) {
  const std::string watch = json_of(kWatch);
  const auto whole = read(std::vector{watch});
  for (std::size_t size = 1; size < watch.size(); ++size) {
    const Outcome head = read(std::vector{watch.substr(0, size)});
    const bool is_boundary = watch[size - 1] == '\n' || watch[size] == '\n';
    EXPECT_EQ(head.at_boundary, is_boundary) << size;
    const Outcome halves = read(std::vector{watch.substr(0, size), watch.substr(size)});
    EXPECT_EQ(halves.events, whole.events) << size;
  }
}

TEST(EventReader, AnObjectThatCannotBeUsedIsReportedAndTheNextIsRead) {
  const std::string large(std::size_t{3} * 1024 * 1024, 'x');
  const Outcome watch = read(
      "{'type':'ADDED','object':{'metadata':{'name':'a'},'n':'bad'}}\n"
      "{'type':'ADDED','object':{'metadata':{'name':'large','namespace':'shop'},'n':'" +
      large + "'}}\n{'type':'MODIFIED','object':{'metadata':{'name':'d'}}}\n");
  EXPECT_EQ(watch.error, "");
  EXPECT_THAT(watch.events, ElementsAre(json_of("1 {'metadata':{'name':'d'}}")));
  ASSERT_THAT(watch.rejected, SizeIs(2));
  EXPECT_THAT(watch.rejected[1], HasSubstr("object shop/large: "));
}

TEST(EventReader, WhatIsNoEventEndsIt) {
  EXPECT_THAT(read("{'type':'SOLD','object':{}}\n").error, HasSubstr("want ADDED"));
  EXPECT_THAT(read("{'type':'ADDED'}\n").error, HasSubstr("want ADDED"));
  EXPECT_THAT(read("{'type':'ADDED','object':[]}\n").error, HasSubstr("want ADDED"));
  EXPECT_THAT(read("{'type':7,'object':{}}\n").error, HasSubstr("want ADDED"));
  EXPECT_THAT(read("{'type':'ADDED','object':{'n':2e}}\n").error, HasSubstr("syntax error"));
  EXPECT_THAT(read("garbage\n").error, HasSubstr("want an object"));
  EXPECT_THAT(read("{'kind':'PodList','items':[]}").error, HasSubstr("want ADDED"));
}

}  // namespace
}  // namespace bellows::kubernetes
