#include "kubernetes/core/item_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// What came of a list that arrived in `chunks`.
struct ItemOutcome {
  std::vector<std::string> items;
  std::vector<std::string> rejected;
  std::string error;
  ListMetadata metadata;
};

ItemOutcome read_items(const FieldSet& fields, const std::vector<std::string>& chunks) {
  ItemOutcome outcome;
  ItemReader reader(
      fields,
      [&outcome](const boost::json::object& item) -> Result<void> {
        if (item.contains("bad")) return fail(ErrorKind::kMalformed, "item", "bad");
        outcome.items.push_back(boost::json::serialize(item));
        return {};
      },
      [&outcome](const Error& error) { outcome.rejected.push_back(to_string(error)); });
  for (const std::string& chunk : chunks) {
    if (const auto fed = reader.feed(chunk); !fed) {
      outcome.error = to_string(fed.error());
      return outcome;
    }
  }
  const auto metadata = reader.finish();
  if (metadata) {
    outcome.metadata = *metadata;
  } else {
    outcome.error = to_string(metadata.error());
  }
  return outcome;
}

ItemOutcome read_items(const FieldSet& fields, const std::string& text) {
  return read_items(fields, std::vector<std::string>{json_of(text)});
}

constexpr auto kList =
    "{'kind':'PodList','metadata':{'resourceVersion':'42','continue':'abc',"
    "'remainingItemCount':7},'items':[{'metadata':{'name':'a','managedFields':[{'x':[1,{}]}]},"
    "'n':[{'k':1,'z':2},{'z':3}]},{'metadata':{'name':'b]}\\\\'},'n':null}]}";

TEST(ItemReader, ItemsArePrunedAndTheListSaysWhereToGoOn) {
  const FieldSet fields{"/metadata/name", "/n/k"};
  const ItemOutcome list = read_items(
      fields,
      "{'metadata':{'resourceVersion':'42','continue':'abc','remainingItemCount':7},'items':["
      "{'metadata':{'name':'a','managedFields':[{'x':[1,{}]}]},'n':[{'k':1,'z':2},{'z':3}]},"
      "{'skipped':'}]','metadata':{'name':'b'},'n':null}]}");
  EXPECT_EQ(list.error, "");
  EXPECT_THAT(list.items, ElementsAre(json_of("{'metadata':{'name':'a'},'n':[{'k':1},{}]}"),
                                      json_of("{'metadata':{'name':'b'},'n':null}")));
  EXPECT_EQ(list.metadata.resource_version, "42");
  EXPECT_EQ(list.metadata.continue_token, "abc");
  EXPECT_EQ(list.metadata.remaining_items, 7);
}

TEST(ItemReader, AnEmptyListAndMetadataBehindTheItems) {
  EXPECT_THAT(read_items({}, "{'items':[],'metadata':{'resourceVersion':'3'}}").items, IsEmpty());
  EXPECT_EQ(read_items({}, "{'items':[{},{}],'metadata':{'resourceVersion':'3'}}")
                .metadata.resource_version,
            "3");
  EXPECT_EQ(read_items({}, "{'items':null,'metadata':{}}").error, "");
}

TEST(ItemReader, AnAnswerThatIsCutAtAnyByteIsAnErrorAndNeverAShorterList) {
  const std::string list = json_of(kList);
  for (std::size_t size = 0; size < list.size(); ++size) {
    EXPECT_NE(read_items({"/metadata", "/n"}, std::vector{list.substr(0, size)}).error, "") << size;
  }
}

TEST(ItemReader, ChunksMayBeCutAtAnyByte) {
  const std::string list = json_of(kList);
  const FieldSet fields{"/metadata/name", "/n/k"};
  const ItemOutcome whole = read_items(fields, std::vector{list});
  ASSERT_EQ(whole.error, "");
  for (std::size_t size = 1; size < list.size(); ++size) {
    const ItemOutcome halves =
        read_items(fields, std::vector{list.substr(0, size), list.substr(size)});
    EXPECT_EQ(halves.items, whole.items) << size;
    EXPECT_EQ(halves.error, "") << size;
  }
  std::vector<std::string> bytes;
  for (const char c : list) bytes.emplace_back(1, c);
  EXPECT_EQ(read_items(fields, bytes).items, whole.items);
}

TEST(ItemReader, ABadItemIsReportedAndTheOthersAreRead) {
  const FieldSet fields{"/bad", "/metadata/name"};
  const ItemOutcome list = read_items(
      fields, "{'metadata':{},'items':[{'bad':1},17,'text',{'metadata':{'name':'good'}},[]]}");
  EXPECT_EQ(list.error, "");
  EXPECT_THAT(list.items, ElementsAre(json_of("{'metadata':{'name':'good'}}")));
  EXPECT_THAT(list.rejected, ElementsAre("item: bad", "JSON: want an object",
                                         "JSON: want an object", "JSON: want an object"));
}

TEST(ItemReader, AnItemWithTooMuchKeptTextIsSkipped) {
  const FieldSet fields{"/metadata/name", "/metadata/namespace", "/spec"};
  const std::string large(std::size_t{3} * 1024 * 1024, 'x');
  const ItemOutcome list = read_items(
      fields, "{'metadata':{},'items':[{'metadata':{'name':'web','namespace':'shop'},'spec':'" +
                  large + "'},{'metadata':{'name':'b'},'status':'" + large + "'}]}");
  EXPECT_EQ(list.error, "");
  EXPECT_THAT(list.rejected,
              ElementsAre("object shop/web: its fields take more than 2097152 bytes"));
  EXPECT_THAT(list.items, ElementsAre(json_of("{'metadata':{'name':'b'}}")));
}

TEST(ItemReader, WhatIsNoListIsAnError) {
  EXPECT_THAT(read_items({}, "<html>bad gateway</html>").error,
              HasSubstr("want an object at byte 1"));
  EXPECT_THAT(read_items({}, "{'kind':'Status'}").error, HasSubstr("items: missing"));
  EXPECT_THAT(read_items({}, "{'items':[]}{'items':[]}").error, HasSubstr("more follows"));
  EXPECT_THAT(read_items({}, "{'metadata':7,'items':[]}").error,
              HasSubstr("metadata: 7: want an object"));
  EXPECT_THAT(read_items({"/n"}, "{'items':[{'n':1},{'n':nonsense}]}").error,
              HasSubstr("JSON: syntax error after 1 object"));
  EXPECT_NE(read_items({}, "{'items':[],}").error, "");
  EXPECT_NE(read_items({}, "{'items':[}]").error, "");
  EXPECT_NE(read_items({}, "{'items' []}").error, "");
  EXPECT_NE(read_items({}, "{'items':[{},]}").error, "");
  EXPECT_NE(read_items({}, "").error, "");
}

TEST(ItemReader, OnlyKeptFieldsHaveALimitOfNesting) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  const ItemOutcome list = read_items({"/metadata/name", "/spec"},
                                      "{'metadata':{},'items':[{'status':" + deep +
                                          ",'metadata':{'name':'a'}},{'spec':" + deep + "},{}]}");
  EXPECT_EQ(list.error, "");
  EXPECT_THAT(list.items, ElementsAre(json_of("{'metadata':{'name':'a'}}"), "{}"));
  EXPECT_THAT(list.rejected, ElementsAre("object : its fields are nested more than 100 deep"));
}

TEST(ItemReader, ADeepValueMayBeCutAtAnyByte) {
  const std::string deep = std::string(150, '[') + R"({"x":"]}\\"},"\"]")" + std::string(150, ']');
  const std::string list = R"({"items":[{"n":[{"z":)" + deep + R"(,"k":1},{"z":)" + deep +
                           R"(}]},{"n":2}],"metadata":{"x":)" + deep +
                           R"(,"resourceVersion":"4"}})";
  for (std::size_t size = 0; size < list.size(); ++size) {
    const ItemOutcome halves =
        read_items({"/n/k"}, std::vector{list.substr(0, size), list.substr(size)});
    ASSERT_EQ(halves.error, "") << size;
    ASSERT_THAT(halves.items, ElementsAre(R"({"n":[{"k":1},{}]})", R"({"n":2})")) << size;
    ASSERT_EQ(halves.metadata.resource_version, "4") << size;
  }
}

TEST(ItemReader, StaysAtItsFirstError) {
  ItemReader reader(
      {}, [](const boost::json::object&) { return Result<void>(); }, [](const Error&) {});
  EXPECT_FALSE(reader.feed("]"));
  EXPECT_FALSE(reader.feed("{\"items\":[]}"));
  EXPECT_FALSE(reader.finish());
}

/// Any value with at most three members or elements in each of `depth` levels.
boost::json::value any_value(int depth) {
  const int kind = *rc::gen::inRange(0, depth == 0 ? 4 : 6);
  if (kind == 0) return boost::json::value(*rc::gen::arbitrary<std::int64_t>());
  if (kind == 1) return boost::json::value(nullptr);
  if (kind == 2) return boost::json::value(true);
  if (kind == 3) {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc\"\\{}[],: \n\t/")));
    return boost::json::value(text);
  }
  const int size = *rc::gen::inRange(0, 4);
  if (kind == 4) {
    boost::json::array list;
    for (int i = 0; i < size; ++i) list.push_back(any_value(depth - 1));
    return list;
  }
  boost::json::object object;
  for (int i = 0; i < size; ++i) object["k" + std::to_string(i)] = any_value(depth - 1);
  return object;
}

/// `value` with only the members k0 and, within them, k1 of objects.
boost::json::value kept(const boost::json::value& value, const FieldSet::Node& node) {
  if (const auto* list = value.if_array()) {
    boost::json::array made;
    for (const auto& element : *list) made.push_back(kept(element, node));
    return made;
  }
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  boost::json::object made;
  for (const auto& member : *object) {
    const auto* below = node.find({member.key().data(), member.key().size()});
    if (below != nullptr) made[member.key()] = kept(member.value(), *below);
  }
  return made;
}

RC_GTEST_PROP(ItemReader, KeepsExactlyTheFieldsOfAnyObjectInAnyChunks, ()) {
  boost::json::object item;
  item["k0"] = any_value(3);
  item["k1"] = any_value(3);
  item["k2"] = any_value(3);
  const FieldSet fields{"/k0", "/k2/k0", "/k2/k1/k1"};
  const std::string text =
      R"({"items":[)" + boost::json::serialize(item) + R"(],"metadata":{"continue":"c"}})";
  std::vector<std::string> chunks;
  for (std::size_t at = 0; at < text.size();) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 9);
    chunks.push_back(text.substr(at, size));
    at += size;
  }
  const ItemOutcome list = read_items(fields, chunks);
  RC_ASSERT(list.error.empty());
  RC_ASSERT(list.items.size() == 1U);
  RC_ASSERT(boost::json::parse(list.items.front()) == kept(item, fields.root()));
}

}  // namespace
}  // namespace bellows::kubernetes
