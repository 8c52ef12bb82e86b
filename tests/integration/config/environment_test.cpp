#include "config/sources/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bellows::config {
namespace {

TEST(ReadEnvironment, CopiesTheVariablesOfThisProcess) {
  ::setenv("BELLOWS_TEST_VARIABLE", "a=b", 1);
  const Environment environment = read_environment();
  ::unsetenv("BELLOWS_TEST_VARIABLE");

  ASSERT_TRUE(environment.contains("BELLOWS_TEST_VARIABLE"));
  EXPECT_EQ(environment.at("BELLOWS_TEST_VARIABLE"), "a=b");
  EXPECT_FALSE(read_environment().contains("BELLOWS_TEST_VARIABLE"));
}

}  // namespace
}  // namespace bellows::config
