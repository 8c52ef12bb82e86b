#include "config/access_log_template.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

using Pieces = std::vector<AccessPiece>;

TEST(AccessTemplate, AlternatesTextAndFields) {
  EXPECT_EQ(parse_access_template("${method} ${url} -> ${status}."),
            (Pieces{{"", AccessField::kMethod},
                    {" ", AccessField::kUrl},
                    {" -> ", AccessField::kStatus},
                    {".", std::nullopt}}));
}

TEST(AccessTemplate, OfAnEmptyTextIsEmpty) {
  EXPECT_EQ(parse_access_template(""), Pieces{});
}

TEST(AccessTemplate, KeepsADollarWithoutABrace) {
  EXPECT_EQ(parse_access_template("5$ {a}"), (Pieces{{"5$ {a}", std::nullopt}}));
}

TEST(AccessTemplate, WithAnUnknownFieldIsRejected) {
  EXPECT_EQ(parse_access_template("${verb}"), std::nullopt);
  EXPECT_EQ(parse_access_template("${Method}"), std::nullopt);
  EXPECT_EQ(parse_access_template("${}"), std::nullopt);
}

TEST(AccessTemplate, ThatIsNotClosedIsRejected) {
  EXPECT_EQ(parse_access_template("a ${method"), std::nullopt);
}

TEST(AccessTemplate, OfTheDefaultHasEveryFieldOnce) {
  const auto pieces = parse_access_template(json_access_template());
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), access_field_names().size() + 1);
  for (std::size_t i = 0; i < access_field_names().size(); ++i) {
    EXPECT_EQ((*pieces)[i].field, static_cast<AccessField>(i));
  }
}

}  // namespace
}  // namespace bellows::config
