#include "base/error.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "base/result.hpp"

namespace bellows {
namespace {

TEST(ErrorText, NamesTheCulpritFirstAndTheCauseLast) {
  const Error error =
      Error(ErrorKind::kUnavailable, "replica web-1", "does not start")
          .caused_by(Error(ErrorKind::kNotFound, "program ./nosuch", "no such file"));
  EXPECT_EQ(to_string(error),
            "replica web-1: does not start (because program ./nosuch: no such file)");
}

TEST(ErrorFromErrno, HasTheNameOfTheNumberAndTheMatchingKind) {
  EXPECT_EQ(system_error("10.0.0.1:80", "connect", EHOSTUNREACH).kind(), ErrorKind::kRefused);
  EXPECT_EQ(system_error("10.0.0.1:80", "connect", ENETUNREACH).kind(), ErrorKind::kRefused);
  const Error error = system_error("127.0.0.1:80", "connect", ECONNREFUSED);
  EXPECT_EQ(to_string(error), "127.0.0.1:80: connect: Connection refused (ECONNREFUSED)");
  EXPECT_EQ(error.kind(), ErrorKind::kRefused);
  EXPECT_EQ(system_error("x", "open", EACCES).kind(), ErrorKind::kSystem);
}

Result<int> half(int number) {
  if (number % 2 != 0) return fail(ErrorKind::kMalformed, "number", "is odd");
  return number / 2;
}

Result<int> quarter(int number) {
  BELLOWS_TRY(const int once, half(number));
  return half(once);
}

TEST(ResultTry, ReturnsTheFirstError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().culprit(), "number");
  EXPECT_FALSE(quarter(7).has_value());
}

}  // namespace
}  // namespace bellows
