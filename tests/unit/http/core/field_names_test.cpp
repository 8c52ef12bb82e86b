// Which field a line is, by its name in any case: names are looked at several bytes at a time.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "http/core/field_reader.hpp"

namespace bellows::http {
namespace {

using enum FieldId;

const std::map<std::string, FieldId> kByName = {{"te", kTe},
                                                {"b3", kB3},
                                                {"date", kDate},
                                                {"host", kHost},
                                                {"expect", kExpect},
                                                {"trailer", kTrailer},
                                                {"upgrade", kUpgrade},
                                                {"forwarded", kForwarded},
                                                {"connection", kConnection},
                                                {"keep-alive", kKeepAlive},
                                                {"user-agent", kUserAgent},
                                                {"tracestate", kTracestate},
                                                {"traceparent", kTraceparent},
                                                {"grpc-status", kGrpcStatus},
                                                {"content-type", kContentType},
                                                {"grpc-timeout", kGrpcTimeout},
                                                {"content-length", kContentLength},
                                                {"k-network-hash", kInternal},
                                                {"x-forwarded-for", kXForwardedFor},
                                                {"k-network-probe", kInternal},
                                                {"k-kubelet-probe", kInternal},
                                                {"x-forwarded-host", kXForwardedHost},
                                                {"proxy-connection", kProxyConnection},
                                                {"transfer-encoding", kTransferEncoding},
                                                {"x-forwarded-proto", kXForwardedProto}};

std::string in_upper_case(std::string name) {
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

TEST(FieldNames, AreKnownInAnyCase) {
  for (const auto& [name, id] : kByName) {
    EXPECT_EQ(field_id(name), id) << name;
    EXPECT_EQ(field_id(in_upper_case(name)), id) << name;
    std::string mixed = in_upper_case(name);
    mixed.back() = name.back();
    EXPECT_EQ(field_id(mixed), id) << mixed;
  }
}

TEST(FieldNames, OneOtherByteAnywhereMakesAnotherName) {
  for (const auto& [name, id] : kByName) {
    for (std::size_t at = 0; at < name.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string other = name;
        other[at] = static_cast<char>(byte);
        if (in_upper_case(other) == in_upper_case(name) || kByName.contains(other)) continue;
        EXPECT_NE(field_id(other), id) << other;
      }
    }
  }
}

TEST(FieldNames, AnIdHasTheNameThatAllItsFieldsHave) {
  for (const auto& [name, id] : kByName) {
    const bool has_others = id == kB3 || id == kInternal;
    EXPECT_EQ(known_name(id), has_others ? "" : name);
  }
  EXPECT_EQ(known_name(kOther), "");
  EXPECT_EQ(known_name(kXForwardedOther), "");
}

}  // namespace
}  // namespace bellows::http
