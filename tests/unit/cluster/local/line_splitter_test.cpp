#include "cluster/local/line_splitter.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <vector>

namespace bellows::cluster {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::vector<std::string>& pieces) {
  Lines lines;
  LineSplitter splitter;
  const auto take = [&](std::string_view line) { lines.emplace_back(line); };
  for (const std::string& piece : pieces) splitter.feed(piece, take);
  splitter.finish(take);
  return lines;
}

TEST(LinesOfAPipe, AreFoundAcrossReads) {
  EXPECT_EQ(lines_of({"one\ntw", "o\n", "\nthree"}), (Lines{"one", "two", "", "three"}));
  EXPECT_EQ(lines_of({"dos\r\nlines\r\n"}), (Lines{"dos", "lines"}));
  EXPECT_EQ(lines_of({"", ""}), Lines{});
}

TEST(LineThatNeverEnds, IsSplitIntoBoundedPieces) {
  const std::string endless(2 * LineSplitter::kMaxBytes + 5, 'x');
  const Lines lines = lines_of({endless, "\nnext\n"});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].size(), LineSplitter::kMaxBytes);
  EXPECT_EQ(lines[1].size(), LineSplitter::kMaxBytes);
  EXPECT_EQ(lines[2], "xxxxx");
  EXPECT_EQ(lines[3], "next");
}

RC_GTEST_PROP(LinesOfAPipeProperty, DoNotDependOnTheSplitOfReads, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::element('a', 'b', '\n'));
  const auto cut = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
  RC_ASSERT(lines_of({text}) == lines_of({text.substr(0, cut), text.substr(cut)}));
}

}  // namespace
}  // namespace bellows::cluster
