#include "cluster/local/environment_file.hpp"

#include <gtest/gtest.h>

namespace bellows::cluster {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(EnvironmentFile, HasAVariableALine) {
  EXPECT_EQ(parse_environment_file("# database\nDB_URL=postgres://u:p@db/x?a=b\n\nEMPTY=\r\n"
                                   "QUOTED=\" a b \"\nSINGLE='x'\nHALF=\"x\nDB_URL=last",
                                   "web.env")
                .value(),
            (Variables{{"DB_URL", "last"},
                       {"EMPTY", ""},
                       {"QUOTED", " a b "},
                       {"SINGLE", "x"},
                       {"HALF", "\"x"}}));
  EXPECT_EQ(parse_environment_file("", "web.env").value(), Variables());
}

TEST(EnvironmentFile, NamesTheLineThatItCannotReadButNotItsText) {
  for (const char* text :
       {"A=1\nhunter2\n", "A=1\n1A=hunter2\n", "A=1\nA B=hunter2\n", "A=1\n=x"}) {
    const auto read = parse_environment_file(text, "web.env");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(to_string(read.error()), "web.env:2: want NAME=VALUE, an empty line or # and text");
  }
  EXPECT_FALSE(parse_environment_file("PORT=80", "web.env"));
}

}  // namespace
}  // namespace bellows::cluster
