#include "kubernetes/core/field_set.hpp"

#include <gtest/gtest.h>

namespace bellows::kubernetes {
namespace {

const FieldSet::Node* follow(const FieldSet& fields, std::initializer_list<const char*> keys) {
  const FieldSet::Node* node = &fields.root();
  for (const char* key : keys) {
    if (node != nullptr) node = node->find(key);
  }
  return node;
}

TEST(FieldSet, KeepsWhatStandsAtAPathAndBelowIt) {
  const FieldSet fields{"/metadata/name", "/spec"};
  EXPECT_NE(follow(fields, {"metadata", "name"}), nullptr);
  EXPECT_EQ(follow(fields, {"metadata", "managedFields"}), nullptr);
  EXPECT_NE(follow(fields, {"spec", "any", "thing"}), nullptr);
  EXPECT_EQ(follow(fields, {"status"}), nullptr);
}

TEST(FieldSet, AMemberOfAWholeIsDroppedBySlashesThatAreEscaped) {
  FieldSet fields{"/annotations"};
  fields.drop("/annotations/kubectl.io~1last~0applied");
  EXPECT_EQ(follow(fields, {"annotations", "kubectl.io/last~applied"}), nullptr);
  EXPECT_NE(follow(fields, {"annotations", "bellows.dev/min-scale"}), nullptr);
}

TEST(FieldSet, TwoSetsTogetherKeepWhatEitherKeeps) {
  FieldSet fields{"/a/b"};
  fields.add(FieldSet{"/a/c"}).add_below("/object", FieldSet{"/x"});
  EXPECT_NE(follow(fields, {"a", "b"}), nullptr);
  EXPECT_NE(follow(fields, {"a", "c"}), nullptr);
  EXPECT_NE(follow(fields, {"object", "x"}), nullptr);
  EXPECT_EQ(follow(fields, {"object", "y"}), nullptr);
  fields.add(FieldSet{"/a"});
  EXPECT_NE(follow(fields, {"a", "d"}), nullptr);
}

}  // namespace
}  // namespace bellows::kubernetes
