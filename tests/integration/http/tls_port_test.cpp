// Certificates of a port: which one a caller gets, what is told about bad ones, reloads, tickets,
// callers' own certificates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include <filesystem>
#include <map>

#include "http/tls/ticket_keys.hpp"
#include "tests/integration/http/tls_port_world.hpp"

namespace bellows::http {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::CertificateSpec;
using test::TestCa;
using test::TestCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct FreeTls {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

/// The common name of the certificate that a caller gets who knows only `algorithms` and `version`;
/// empty: its handshake fails.
std::string shown_to(TlsPort& port, const std::string& host, std::string algorithms, int version) {
  TlsPortWorld world;
  const std::unique_ptr<SSL_CTX, FreeTls> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  EXPECT_EQ(SSL_CTX_set1_sigalgs_list(context.get(), algorithms.data()), 1);
  const std::unique_ptr<SSL, FreeTls> ssl(SSL_new(context.get()));
  const sys::Descriptor socket(world.accept(port));
  SSL_set_fd(ssl.get(), socket.get());
  SSL_set_tlsext_host_name(ssl.get(), host.c_str());
  int outcome = 0;
  world.until([&] {
    outcome = SSL_connect(ssl.get());
    world.read();
    return outcome == 1 || SSL_get_error(ssl.get(), outcome) != SSL_ERROR_WANT_READ;
  });
  if (outcome != 1) return {};
  char name[64] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(ssl.get())),
                            NID_commonName, name, sizeof name);
  return name;
}

class TlsPorts : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "tls-port-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    write_file(path(name), text);
  }
  void write_pair(const std::string& name, const TestCertificate& certificate) const {
    write(name + ".crt", certificate.certificate);
    write(name + ".key", certificate.key);
  }
  TestCertificate for_hosts(std::vector<std::string> hosts, long valid_to = 3600) const {
    return ca.sign({.common_name = hosts.front(),
                    .dns_names = hosts,
                    .addresses = {},
                    .valid_to_seconds = valid_to});
  }
  std::unique_ptr<TlsPort> open_folder() const {
    TlsPortSettings settings;
    settings.folder = folder_;
    return TlsPort::open(settings, wall_now()).value();
  }
  /// What is told about the folder at the start.
  std::string complaint() const {
    TlsPortSettings settings;
    settings.folder = folder_;
    const auto port = TlsPort::open(settings, wall_now());
    return port ? "nothing" : to_string(port.error());
  }
  /// True if a caller that asks for `host` and accepts certificates for it alone is served.
  bool serves(TlsPort& port, const std::string& host, const TestCa& trusted) const {
    TlsPortWorld world;
    test::TlsPeer peer = world.connect(port, *client_tls(trusted), host);
    peer.say("x");
    world.until(peer, [&] { return peer.has_ended() || world.received == "x"; });
    return world.received == "x";
  }
  bool serves(TlsPort& port, const std::string& host) const { return serves(port, host, ca); }

  TestCa ca;
  std::string folder_;
};

TEST_F(TlsPorts, ACallerGetsTheCertificateForTheNameThatItAsksFor) {
  write_pair("shop", for_hosts({"shop.example", "www.shop.example"}));
  write_pair("wild", for_hosts({"*.wild.example"}));
  write_pair("exact", for_hosts({"a.wild.example"}));
  const auto port = open_folder();
  EXPECT_TRUE(serves(*port, "shop.example"));
  EXPECT_TRUE(serves(*port, "WWW.Shop.Example"));
  EXPECT_TRUE(serves(*port, "b.wild.example"));
  EXPECT_TRUE(serves(*port, "a.wild.example"));
  EXPECT_FALSE(serves(*port, "a.b.wild.example")) << "a wildcard is one label (RFC 6125 6.4.3)";
  EXPECT_FALSE(serves(*port, "wild.example"));
  EXPECT_FALSE(serves(*port, "other.example")) << "it gets the first one, and refuses it";
}

TEST_F(TlsPorts, ACallerGetsTheCertificateWithAKeyItCanVerify) {
  const auto of = [&](const std::string& name, std::vector<std::string> hosts, bool is_rsa) {
    return ca.sign({.common_name = name, .dns_names = std::move(hosts), .is_rsa = is_rsa});
  };
  write_pair("default", of("default", {"shop.example", "a.example"}, false));
  write_pair("rsa", of("rsa", {"shop.example", "b.example"}, true));
  const auto port = open_folder();
  EXPECT_EQ(port->certificates().size(), 2U);
  struct Row {
    const char* host;
    const char* algorithms;
    const char* gets;
  };
  constexpr const char* kEcdsa = "ecdsa_secp256r1_sha256";
  constexpr const char* kRsa = "rsa_pss_rsae_sha256";
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const Row& row :
         {Row{"shop.example", kEcdsa, "default"}, Row{"shop.example", kRsa, "rsa"},
          Row{"a.example", kEcdsa, "default"}, Row{"a.example", kRsa, ""},
          Row{"b.example", kRsa, "rsa"}, Row{"b.example", kEcdsa, ""},
          Row{"unknown.example", kEcdsa, "default"}, Row{"unknown.example", kRsa, "rsa"}}) {
      EXPECT_EQ(shown_to(*port, row.host, row.algorithms, version), row.gets)
          << row.host << " " << row.algorithms << " " << std::hex << version;
    }
  }
}

TEST_F(TlsPorts, ACallerThatNamesNoHostGetsTheDefault) {
  write_pair("aaa", for_hosts({"aaa.example"}));
  write_pair("default", ca.sign({.common_name = "d", .dns_names = {}, .addresses = {"127.0.0.1"}}));
  const auto port = open_folder();
  EXPECT_EQ(port->certificates().front().name, "default");
  EXPECT_TRUE(serves(*port, "127.0.0.1")) << "an address is no server name (RFC 6066 3)";
}

TEST_F(TlsPorts, FoldersOfCertbotAndOfKubernetesAreRead) {
  const TestCertificate shop = for_hosts({"shop.example"});
  write("live/README", "about");
  write("shop.example/fullchain.pem", shop.certificate);
  write("shop.example/privkey.pem", shop.key);
  write("shop.example/cert.pem", shop.certificate);
  write("shop.example/chain.pem", ca.certificate());
  const TestCertificate pod = for_hosts({"pod.example"});
  write("..2026_11_23/tls.crt", pod.certificate);
  write("..2026_11_23/tls.key", pod.key);
  write("..2026_11_23/ca.crt", ca.certificate());
  fs::create_directory_symlink("..2026_11_23", path("..data"));
  for (const char* const name : {"tls.crt", "tls.key", "ca.crt"}) {
    fs::create_symlink(std::string("..data/") + name, path(name));
  }
  const auto port = open_folder();
  ASSERT_EQ(port->certificates().size(), 2U);
  EXPECT_EQ(port->certificates()[0].name, "tls");
  EXPECT_EQ(port->certificates()[1].name, "shop.example");
  EXPECT_TRUE(serves(*port, "shop.example"));
  EXPECT_TRUE(serves(*port, "pod.example"));
}

TEST_F(TlsPorts, WhatCannotBeUsedIsToldByFileReasonAndRemedy) {
  const TestCertificate fine = for_hosts({"shop.example"});
  struct Row {
    const char* what;
    std::map<std::string, std::string> files;
    std::vector<std::string> says;
  };
  const TestCertificate late = for_hosts({"shop.example"}, -60);
  const TestCertificate other = for_hosts({"other.example"});
  const TestCertificate early = ca.sign(
      {.common_name = "shop.example", .dns_names = {"shop.example"}, .valid_from_seconds = 600});
  const std::vector<Row> table = {
      {"nothing", {}, {"folder " + folder_, "no certificate", "want NAME.crt and NAME.key"}},
      {"a certificate without key",
       {{"a.crt", fine.certificate}},
       {"a.crt has no key; want a.key"}},
      {"a key without certificate", {{"a.key", fine.key}}, {"a.key has no certificate"}},
      {"certbot's without key",
       {{"s/fullchain.pem", "x"}},
       {"s/fullchain.pem", "want privkey.pem"}},
      {"two for one key",
       {{"a.crt", fine.certificate}, {"a.pem", fine.certificate}, {"a.key", fine.key}},
       {"a.crt and a.pem", "want one certificate"}},
      {"no PEM",
       {{"a.crt", "hello"}, {"a.key", fine.key}},
       {"a.crt", "no certificate can be read"}},
      {"the key of another",
       {{"a.crt", fine.certificate}, {"a.key", other.key}},
       {"a.key", "is not the key of the certificate", "a.crt"}},
      {"expired",
       {{"a.crt", late.certificate}, {"a.key", late.key}},
       {"a.crt", "\"shop.example\" expired at", "want a renewed one"}},
      {"not valid yet",
       {{"a.crt", early.certificate}, {"a.key", early.key}},
       {"a.crt", "is not valid before", "right time"}},
      {"a chain in the wrong order",
       {{"a.crt", fine.certificate + other.certificate}, {"a.key", fine.key}},
       {"a.crt", "\"other.example\" has not signed \"shop.example\"", "issuer"}},
      {"two for one name",
       {{"a.crt", fine.certificate},
        {"a.key", fine.key},
        {"b.crt", fine.certificate},
        {"b.key", fine.key}},
       {"b.crt", "is for shop.example, as is", "a.crt", "keys of ECDSA",
        "want one certificate of a kind for a name"}},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.what);
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    for (const auto& [name, text] : row.files) write(name, text);
    const std::string said = complaint();
    for (const std::string& part : row.says) EXPECT_THAT(said, HasSubstr(part));
  }
}

TEST_F(TlsPorts, AKeyThatIsNoneOrDamagedIsToldAsSuch) {
  const TestCertificate fine = for_hosts({"shop.example"});
  write("a.crt", fine.certificate);
  const std::map<std::string, std::string> table = {
      {"hello", "there is none in it"},
      {"", "there is none in it"},
      {fine.certificate, "there is none in it"},
      {"-----BEGIN PRIVATE KEY-----\naGVsbG8=\n-----END PRIVATE KEY-----\n", "it is damaged ("},
      {fine.key.substr(0, fine.key.size() / 2), "it is damaged ("},
  };
  for (const auto& [text, reason] : table) {
    write("a.key", text);
    EXPECT_THAT(complaint(), AllOf(HasSubstr("a.key: no private key can be read: " + reason),
                                   HasSubstr("want one in PEM form (-----BEGIN PRIVATE KEY-----)"),
                                   Not(HasSubstr("other side"))))  // there is none yet
        << text;
  }
}

TEST_F(TlsPorts, AFileThatIsNotThereOrCannotBeReadIsNamed) {
  const TestCertificate fine = for_hosts({"shop.example"});
  write("a.key", fine.key);
  TlsPortSettings settings;
  settings.certificates.push_back(
      {.name = "a", .certificate = as_file(path("none.crt")), .key = as_file(path("a.key"))});
  EXPECT_THAT(to_string(TlsPort::open(settings, wall_now()).error()), HasSubstr("none.crt"));
  settings.certificates[0].certificate = as_file(folder_);
  EXPECT_THAT(to_string(TlsPort::open(settings, wall_now()).error()), HasSubstr(folder_));
  settings.certificates.clear();
  settings.folder = path("nowhere");
  EXPECT_THAT(to_string(TlsPort::open(settings, wall_now()).error()),
              AllOf(HasSubstr("nowhere"), HasSubstr("No such file")));
}

TEST_F(TlsPorts, AnIntermediateThatEndsFirstIsWhatCounts) {
  const TestCertificate fine = for_hosts({"shop.example"}, 30L * 24 * 3600);
  write("a.crt", fine.certificate + ca.certificate());  // the CA's: an hour
  write("a.key", fine.key);
  const auto port = open_folder();
  EXPECT_LT(port->certificates()[0].valid_until - wall_now(), 2h);
  EXPECT_GT(port->certificates()[0].valid_until - wall_now(), 30min);
}

TEST_F(TlsPorts, ASwappedLinkIsReadAndConnectionsContinue) {
  const TestCa next;
  const TestCertificate before = for_hosts({"shop.example"});
  const TestCertificate after = next.sign({.common_name = "n", .dns_names = {"shop.example"}});
  write_pair("..1/tls", before);
  write_pair("..2/tls", after);
  fs::create_directory_symlink("..1", path("..data"));
  fs::create_symlink("..data/tls.crt", path("tls.crt"));
  fs::create_symlink("..data/tls.key", path("tls.key"));
  const auto port = open_folder();
  TlsPortWorld world;
  const auto trusting = client_tls(ca);
  test::TlsPeer open = world.connect(*port, *trusting, "shop.example");
  ASSERT_TRUE(world.until(open, [&] { return open.is_open(); }));
  EXPECT_FALSE(port->has_settled_change());

  fs::create_directory_symlink("..2", path("..data_new"));
  fs::rename(path("..data_new"), path("..data"));
  EXPECT_FALSE(port->has_settled_change()) << "it may still be changing";
  ASSERT_TRUE(port->has_settled_change());
  ASSERT_TRUE(port->reload(wall_now()).has_value());
  EXPECT_FALSE(port->has_settled_change());
  EXPECT_TRUE(serves(*port, "shop.example", next));
  EXPECT_FALSE(serves(*port, "shop.example", ca));
  open.say("still here");
  EXPECT_TRUE(world.until(open, [&] { return world.received == "still here"; }));
}

TEST_F(TlsPorts, WhatWasReadStaysWhenAChangeCannotBeUsedAndIsToldOnce) {
  write_pair("shop", for_hosts({"shop.example"}));
  const auto port = open_folder();
  write("shop.key", for_hosts({"shop.example"}).key);
  port->has_settled_change();
  ASSERT_TRUE(port->has_settled_change());
  const Result<void> read = port->reload(wall_now());
  EXPECT_THAT(to_string(read.error()), HasSubstr("shop.key"));
  EXPECT_FALSE(port->has_settled_change()) << "nothing has changed since";
  EXPECT_TRUE(serves(*port, "shop.example"));
  fs::remove(path("shop.key"));
  port->has_settled_change();
  ASSERT_TRUE(port->has_settled_change());
  EXPECT_FALSE(port->reload(wall_now()).has_value());
  EXPECT_TRUE(serves(*port, "shop.example"));
  write_pair("shop", for_hosts({"shop.example"}));
  port->has_settled_change();
  ASSERT_TRUE(port->has_settled_change());
  EXPECT_TRUE(port->reload(wall_now()).has_value());
}

TEST_F(TlsPorts, ACallerShowsACertificateIfItIsAskedTo) {
  const TestCa clients("clients");
  const TestCa strangers("strangers");
  const TestCertificate alice =
      clients.sign({.common_name = "alice \"a\"", .dns_names = {"alice.example"}});
  struct Row {
    const char* what;
    ClientCertificates wanted;
    const TestCertificate* shown;
    bool is_served;
    std::string told;
  };
  const TestCertificate mallory = strangers.sign({.common_name = "alice"});
  const std::vector<Row> table = {
      {"one is required and shown", ClientCertificates::kRequired, &alice, true,
       ";Subject=\"CN=alice \\\\\\\"a\\\\\\\"\";DNS=alice.example"},
      {"one is required and not shown", ClientCertificates::kRequired, nullptr, false, ""},
      {"one of another CA is shown", ClientCertificates::kRequired, &mallory, false, ""},
      {"none has to be shown", ClientCertificates::kOptional, nullptr, true, ""},
      {"one may be shown", ClientCertificates::kOptional, &alice, true, ";DNS=alice.example"},
      {"one of another CA may not", ClientCertificates::kOptional, &mallory, false, ""},
  };
  for (const Row& row : table) {
    SCOPED_TRACE(row.what);
    TlsPortSettings settings = one_certificate(ca.sign_localhost());
    settings.client_ca = as_pem(clients.certificate(), "clients");
    settings.clients = row.wanted;
    const auto port = TlsPort::open(settings, wall_now()).value();
    TlsClientSettings caller;
    caller.ca = as_pem(ca.certificate());
    if (row.shown != nullptr) {
      caller.certificate = as_pem(row.shown->certificate);
      caller.key = as_pem(row.shown->key);
    }
    const std::shared_ptr<TlsContext> client = make_tls_client(caller).value();
    TlsPortWorld world;
    test::TlsPeer peer = world.connect(*port, *client);
    peer.say("x");
    ASSERT_TRUE(world.until(peer, [&] { return peer.has_ended() || world.received == "x"; }));
    EXPECT_EQ(world.received == "x", row.is_served);
    const std::string told(world.connection->tls_peer()->certificate);
    EXPECT_EQ(told.empty(), row.told.empty());
    EXPECT_THAT(told, HasSubstr(row.told));
    if (!told.empty()) {
      EXPECT_EQ(told.find(';'), std::string("Hash=").size() + 64);
    }
    EXPECT_EQ(world.counters.failed, row.is_served ? 0U : 1U);
  }
}

TEST_F(TlsPorts, KeysOfTicketsAreForgottenAfterThreeRotations) {
  const std::shared_ptr<TicketKeys> made = TicketKeys::make().value();
  TicketKeys& keys = *made;
  const TicketKeys::Key first = keys.newest();
  for (std::size_t i = 1; i < TicketKeys::kKept; ++i) {
    ASSERT_TRUE(keys.rotate().has_value());
    EXPECT_NE(keys.newest().name, first.name);
    ASSERT_TRUE(keys.find(first.name).has_value());
    EXPECT_EQ(keys.find(first.name)->encryption, first.encryption);
  }
  ASSERT_TRUE(keys.rotate().has_value());
  EXPECT_FALSE(keys.find(first.name).has_value());
}

TEST_F(TlsPorts, AClientCaThatIsNoneIsNamed) {
  TlsPortSettings settings = one_certificate(ca.sign_localhost());
  settings.client_ca = as_file(path("clients.pem"));
  EXPECT_THAT(to_string(TlsPort::open(settings, wall_now()).error()), HasSubstr("clients.pem"));
}

}  // namespace
}  // namespace bellows::http
