#include "config/tls_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "config/run_settings.hpp"
#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using testing::HasSubstr;

Checked<TlsSettings> tls_of(Pairs pairs) {
  return tls_schema().apply({flags(pairs)});
}

TEST(TlsSettings, AreOffUntilThereIsACertificate) {
  EXPECT_FALSE(tls_of({})->is_on());
  EXPECT_TRUE(tls_of({{"tls", "self-signed"}})->is_on());
  EXPECT_TRUE(tls_of({{"tls-folder", "/etc/tls"}})->is_on());
  EXPECT_TRUE(tls_of({{"tls-certificate", "a.crt"}, {"tls-key", "a.key"}})->is_on());
}

TEST(TlsSettings, ThatContradictEachOtherAreRefused) {
  struct Row {
    Layer flags;
    const char* want;
  };
  const std::vector<Row> table = {
      {flags({{"tls-certificate", "a.crt"}}), "as many files in tls-key"},
      {flags({{"tls-certificate", "a.crt,b.crt"}, {"tls-key", "a.key"}}),
       "as many files in tls-key"},
      {flags({{"tls-certificate", "a.crt,,b.crt"}, {"tls-key", "a.key"}}), "paths of PEM files"},
      {flags({{"tls-certificate", "a.crt,"}, {"tls-key", "a.key,"}}), "paths of PEM files"},
      {flags({{"tls-certificate", "a.crt"}, {"tls-key", "a.key"}, {"tls-folder", "/b"}}), "either"},
      {flags({{"tls", "self-signed"}, {"tls-folder", "/b"}}), "neither"},
      {flags({{"tls", "on"}}), "want files or self-signed"},
      {flags({{"tls-client-ca", "ca.pem"}}), "tls-certificate, tls-folder or tls self-signed"},
      {flags({{"redirect-listen", ":80"}}), "tls-certificate, tls-folder or tls self-signed"},
      {flags({{"tls", "self-signed"}, {"acme-folder", "/var/acme"}}),
       "redirect-listen with acme-folder"},
      {flags({{"tls", "self-signed"}, {"redirect-port", "443"}}),
       "redirect-listen with redirect-port"},
      {flags({{"tls", "self-signed"}, {"tls-handshake-timeout", "0s"}}), "1s"},
      {flags({{"tls-minimum-version", "1.1"}}), "want 1.2 or 1.3"},
      {flags({{"hsts", "10m"}}), "tls-certificate, tls-folder or tls self-signed"},
      {flags({{"tls", "self-signed"}, {"hsts", "1500ms"}}), "in whole seconds"},
      {flags({{"tls", "self-signed"}, {"hsts", "20000h"}}), "17520h"},
  };
  for (const Row& row : table) {
    const auto settings = tls_schema().apply({row.flags});
    ASSERT_FALSE(settings.has_value()) << row.want;
    EXPECT_THAT(problems_text(settings.error()), HasSubstr(row.want));
  }
}

TEST(PathList, SplitsAtCommas) {
  EXPECT_EQ(path_list(""), std::vector<std::string>());
  EXPECT_EQ(path_list("a"), std::vector<std::string>({"a"}));
  EXPECT_EQ(path_list("a,/b c"), std::vector<std::string>({"a", "/b c"}));
  EXPECT_EQ(path_list("a,"), std::vector<std::string>({"a", ""}));
  EXPECT_EQ(path_list(","), std::vector<std::string>({"", ""}));
}

}  // namespace
}  // namespace bellows::config
