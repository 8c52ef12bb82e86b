#include "machine/service/listening_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

namespace bellows::machine {
namespace {

using testing::StartsWith;

std::string told(std::string_view call, int number, const std::string& address) {
  return to_string(listening_error(system_error(address, call, number), "admin"));
}

TEST(ListeningError, NamesTheSettingTheAddressAndWhatHelps) {
  EXPECT_THAT(
      told("bind", EADDRINUSE, "127.0.0.1:80"),
      StartsWith(
          "--admin: \"127.0.0.1:80\": the address is in use (`ss -tanp` shows which); set another "
          "address, or port 0 for a free one"));
  EXPECT_THAT(told("bind", ENOENT, "unix:/nope/x"),
              StartsWith("--admin: \"unix:/nope/x\": there is no such folder; make it, or set "
                         "another path"));
  EXPECT_THAT(told("bind", EADDRNOTAVAIL, "10.9.9.9:80"),
              StartsWith("--admin: \"10.9.9.9:80\": this machine has no such address "
                         "(`ip addr` lists those it has); set one of them, or 0.0.0.0 for all"));
}

TEST(ListeningError, OfAnotherKindStaysAsItIs) {
  EXPECT_EQ(told("bind", ENOMEM, "a:1").find("--admin"), std::string::npos);
  EXPECT_EQ(told("cannot be read", ENOENT, "/etc/tls.crt").find("--admin"), std::string::npos);
}

}  // namespace
}  // namespace bellows::machine
