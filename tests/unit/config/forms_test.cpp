#include "config/forms.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

void expect(const Form& form, const std::vector<std::string>& legal,
            const std::vector<std::string>& refused) {
  for (const std::string& text : legal) EXPECT_EQ(form.read(text), text) << form.want;
  for (const std::string& text : refused) {
    EXPECT_EQ(form.read(text), std::nullopt) << text << " is not " << form.want;
  }
}

TEST(Forms, TellNamesThatAreDnsLabels) {
  expect(name_form(), {"web", "api-2", "0", std::string(63, 'a')},
         {"", "-web", "web-", "Web", "a.b", "a_b", "ä", std::string(64, 'a')});
}

TEST(Forms, TellPaths) {
  expect(path_form(), {"", "/", "/healthz", "/a/b%20c"},
         {"healthz", "/a b", "/a?b", "/a#b", "/a\tb", "/ä", std::string("/\0", 2)});
}

TEST(Forms, TellPathPrefixes) {
  expect(path_prefix_form(), {"", "/api", "/api/v1"}, {"api", "/", "/api/", "/a?b"});
}

TEST(Forms, TellHosts) {
  expect(host_form(), {"localhost", "127.0.0.1", "::1", "a.example", "A.Example"},
         {"", "a:80", "[::1]", "a..b", "/x"});
  expect(host_name_form(), {"", "web.localhost", "127.0.0.1"},
         {"web.localhost:8080", "a_b", ".a", "a.", "::1", std::string(254, 'a')});
}

TEST(Forms, KeepHostNamesInLowerCase) {
  EXPECT_EQ(host_name_form().read("Web.LocalHost"), "web.localhost");
}

TEST(Forms, TellUnixSockets) {
  expect(socket_path_form(), {"bellows.sock", "/run/b.sock", std::string(107, 'a')},
         {"", std::string(108, 'a')});
  expect(unix_socket_form(), {"unix:/run/b.sock", "unix:" + std::string(107, 'a')},
         {"", "unix:", "/run/b.sock", "127.0.0.1:80", "unix:" + std::string(108, 'a')});
}

}  // namespace
}  // namespace bellows::config
