// Names, CAs, validity, client certificates and files that change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "tests/integration/http/tls_world.hpp"
#include "tests/support/raw_peer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace bellows::http {
namespace {

using test::run_task;
using test::TestCa;
using test::TestCertificate;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// The error of a call with `client` of a server with `certificate`.
Error error_with(std::shared_ptr<TlsContext> client, const TestCertificate& certificate) {
  net::io_context io;
  return run_task<Error>(io, [&]() -> Awaitable<Error> {
    const TlsServer server(io, server_tls(certificate));
    const Result<Response> got = co_await fetch_by(client, server.endpoint);
    if (got) throw std::logic_error("a response instead of an error");
    co_return got.error();
  });
}

TEST(Tls, AServerWithACertificateOfTheCaIsReadByAddressAndByName) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const std::string large(100'000, 'x');
    TlsServer server(io, server_tls(ca.sign_localhost()), large);
    for (const char* host : {"127.0.0.1", "localhost"}) {
      server.endpoint.host = host;
      const Result<Response> got = co_await fetch_by(client_tls(ca), server.endpoint);
      EXPECT_TRUE(got.has_value()) << to_string(got.error());
      EXPECT_EQ(got->body.size(), large.size());
    }
  });
}

TEST(Tls, ACertificateForAnotherNameIsRejectedWithBothNames) {
  const TestCa ca;
  const Error error = error_with(client_tls(ca), ca.sign({.common_name = "127.0.0.1",
                                                          .dns_names = {"api.example"},
                                                          .addresses = {"10.1.2.3"}}));
  EXPECT_EQ(error.kind(), ErrorKind::kInvalidSetting);
  EXPECT_THAT(to_string(error),
              MatchesRegex("127.0.0.1:[0-9]+: TLS handshake: the certificate \"127.0.0.1\" is for "
                           "api.example, 10.1.2.3, not for 127.0.0.1"));
}

TEST(Tls, TheNameOfTheSettingsIsVerifiedInPlaceOfTheHost) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer server(io, server_tls(ca.sign({.dns_names = {"*.api.example"}})));
    TlsClientSettings settings;
    settings.ca = as_pem(ca.certificate());
    settings.server_name = "one.api.example";
    const std::shared_ptr<TlsContext> fitting = make_tls_client(settings).value();
    EXPECT_TRUE((co_await fetch_by(fitting, server.endpoint)).has_value());
    settings.server_name = "api.other";
    const std::shared_ptr<TlsContext> other = make_tls_client(settings).value();
    EXPECT_THAT(to_string((co_await fetch_by(other, server.endpoint)).error()),
                HasSubstr("is for *.api.example, not for api.other"));
  });
}

TEST(Tls, ACertificateOfAnUnknownCaIsRejectedAndTheIssuerIsSaid) {
  const TestCa known("the known CA");
  const TestCa unknown("the unknown CA");
  const Error error = error_with(client_tls(known), unknown.sign_localhost());
  EXPECT_EQ(error.kind(), ErrorKind::kInvalidSetting);
  EXPECT_THAT(to_string(error), AllOf(HasSubstr("is signed by \"the unknown CA\", an unknown CA"),
                                      HasSubstr("want one of the test's CA")));
}

TEST(Tls, AnExpiredCertificateAndOneOfTheFutureAreRejectedWithTheTime) {
  const TestCa ca;
  const TestCertificate expired = ca.sign({.common_name = "old",
                                           .addresses = {"127.0.0.1"},
                                           .valid_from_seconds = -7200,
                                           .valid_to_seconds = -3600});
  EXPECT_THAT(to_string(error_with(client_tls(ca), expired)),
              ::testing::ContainsRegex("the certificate \"old\" expired at "
                                       "20[0-9-]+ [0-9:]+Z"));
  const TestCertificate future =
      ca.sign({.common_name = "new", .addresses = {"127.0.0.1"}, .valid_from_seconds = 3600});
  EXPECT_THAT(to_string(error_with(client_tls(ca), future)),
              HasSubstr("the certificate \"new\" is not valid before 20"));
}

TEST(Tls, WithoutVerificationAnyCertificateWillDo) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer server(io, server_tls(ca.sign({.dns_names = {"other"}})));
    TlsClientSettings settings;
    settings.skip_verification = true;
    const std::shared_ptr<TlsContext> careless = make_tls_client(settings).value();
    EXPECT_TRUE((co_await fetch_by(careless, server.endpoint)).has_value());
  });
}

TEST(Tls, AServerCertificateThatIsItselfTrustedNeedsNoCa) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TestCertificate leaf = ca.sign_localhost();
    const TlsServer server(io, server_tls(leaf));
    TlsClientSettings settings;
    settings.ca = as_pem(leaf.certificate);
    const std::shared_ptr<TlsContext> pinned = make_tls_client(settings).value();
    EXPECT_TRUE((co_await fetch_by(pinned, server.endpoint)).has_value());
  });
}

TEST(Tls, AServerThatAsksForAClientCertificateGetsIt) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TestCa client_ca("client CA");
    const TlsServer server(io, server_tls(ca.sign_localhost(), client_ca.certificate()));
    const Result<Response> without = co_await fetch_by(client_tls(ca), server.endpoint);
    EXPECT_FALSE(without.has_value());
    EXPECT_EQ(without.error().kind(), ErrorKind::kInvalidSetting) << to_string(without.error());
    EXPECT_THAT(to_string(without.error()), HasSubstr("certificate required"));

    const TestCertificate user = client_ca.sign({.common_name = "dev"});
    TlsClientSettings settings;
    settings.ca = as_pem(ca.certificate());
    settings.certificate = as_pem(user.certificate);
    settings.key = as_pem(user.key);
    const std::shared_ptr<TlsContext> with = make_tls_client(settings).value();
    EXPECT_TRUE((co_await fetch_by(with, server.endpoint)).has_value());

    const TestCertificate stranger = ca.sign({.common_name = "stranger"});
    settings.certificate = as_pem(stranger.certificate);
    settings.key = as_pem(stranger.key);
    const std::shared_ptr<TlsContext> other = make_tls_client(settings).value();
    const Result<Response> rejected = co_await fetch_by(other, server.endpoint);
    EXPECT_EQ(rejected.error().kind(), ErrorKind::kInvalidSetting) << to_string(rejected.error());
    EXPECT_THAT(to_string(rejected.error()), HasSubstr("unknown ca"));
  });
}

TEST(TlsFiles, EachThatCannotBeUsedIsNamedWithTheReason) {
  const test::TemporaryFolder folder;
  const TestCa ca;
  const TestCertificate one = ca.sign_localhost();
  const TestCertificate other = ca.sign_localhost();
  write_file(folder.path("ca.crt"), ca.certificate());
  write_file(folder.path("one.crt"), one.certificate);
  write_file(folder.path("one.key"), one.key);
  write_file(folder.path("other.key"), other.key);
  write_file(folder.path("text"), "not a certificate\n");
  const auto error_of = [&](const char* ca_file, const char* certificate, const char* key) {
    TlsClientSettings settings;
    settings.ca = as_file(folder.path(ca_file));
    settings.certificate = as_file(folder.path(certificate));
    settings.key = as_file(folder.path(key));
    const auto made = make_tls_client(settings);
    return made ? std::string("none") : to_string(made.error());
  };
  EXPECT_EQ(error_of("ca.crt", "one.crt", "one.key"), "none");
  EXPECT_THAT(error_of("none.crt", "one.crt", "one.key"),
              AllOf(HasSubstr(folder.path("none.crt")), HasSubstr("No such file")));
  EXPECT_THAT(error_of("text", "one.crt", "one.key"),
              HasSubstr(folder.path("text") + ": no certificate can be read: "));
  EXPECT_THAT(error_of("ca.crt", "one.crt", "text"),
              HasSubstr(folder.path("text") + ": no private key can be read: "));
  EXPECT_THAT(error_of("ca.crt", "one.crt", "other.key"),
              HasSubstr(folder.path("other.key") + ": is not the key of the certificate " +
                        folder.path("one.crt") + " (local server)"));
}

TEST(TlsFiles, AKeyWithAPasswordIsSaidToBeOne) {
  TlsClientSettings settings;
  const TestCa ca;
  settings.ca = as_pem(ca.certificate());
  settings.certificate = as_pem(ca.sign_localhost().certificate);
  settings.key = as_pem(
      "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n"
      "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\nAAAA\n"
      "-----END EC PRIVATE KEY-----\n",
      "client-key-data of user dev");
  EXPECT_EQ(to_string(make_tls_client(settings).error()),
            "client-key-data of user dev: the key is encrypted; want one without a password");
}

TEST(TlsFiles, RotatedOnesAreUsedByTheNextConnection) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const test::TemporaryFolder folder;
    const TestCa before("CA before");
    const TestCa after("CA after");
    const TestCertificate first = before.sign_localhost();
    write_file(folder.path("ca.crt"), before.certificate());
    write_file(folder.path("tls.crt"), first.certificate);
    write_file(folder.path("tls.key"), first.key);
    TlsServerSettings serving;
    serving.certificate = as_file(folder.path("tls.crt"));
    serving.key = as_file(folder.path("tls.key"));
    const TlsServer server(io, make_tls_server(serving).value());
    TlsClientSettings asking;
    asking.ca = as_file(folder.path("ca.crt"));
    const std::shared_ptr<TlsContext> client = make_tls_client(asking).value();
    EXPECT_TRUE((co_await fetch_by(client, server.endpoint)).has_value());

    const TestCertificate second = after.sign_localhost();
    write_file(folder.path("tls.crt"), second.certificate);  // its key is still the old one
    EXPECT_TRUE((co_await fetch_by(client, server.endpoint)).has_value())
        << "half of a rotation leaves what was there in force";
    write_file(folder.path("tls.key"), second.key);
    EXPECT_THAT(to_string((co_await fetch_by(client, server.endpoint)).error()),
                HasSubstr("is signed by \"CA after\", an unknown CA"));
    write_file(folder.path("ca.crt"), after.certificate());
    EXPECT_TRUE((co_await fetch_by(client, server.endpoint)).has_value());
  });
}

TEST(Tls, AServerWithoutTlsIsSaidToHaveNone) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer plain(io, nullptr);
    const Result<Response> got = co_await fetch_by(client_tls(ca), plain.endpoint);
    EXPECT_EQ(got.error().kind(), ErrorKind::kMalformed);
    EXPECT_THAT(to_string(got.error()), HasSubstr("the other side does not use TLS"));
  });
}

TEST(Tls, AClientWithoutTlsIsToldSo) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer server(io, server_tls(ca.sign_localhost()));
    const Result<Response> got = co_await fetch(server.endpoint, "GET", "/");
    EXPECT_EQ(got.value().status, 400);
    EXPECT_THAT(got.value().body, HasSubstr("use https"));
  });
}

struct FreeSsl {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(SSL* ssl) const { SSL_free(ssl); }
};

/// A client hello of at most TLS 1.1.
std::string old_client_hello() {
  const std::unique_ptr<SSL_CTX, FreeSsl> context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
  SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
  const std::unique_ptr<SSL, FreeSsl> ssl(SSL_new(context.get()));
  BIO* const out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl.get(), BIO_new(BIO_s_mem()), out);
  SSL_set_connect_state(ssl.get());
  SSL_do_handshake(ssl.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  return {data, static_cast<std::size_t>(size)};
}

TEST(Tls, AClientOfTls11IsRefused) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    const TlsServer server(io, server_tls(ca.sign_localhost()));
    test::RawPeer peer = co_await test::RawPeer::connect(server.endpoint);
    const std::string hello = old_client_hello();
    EXPECT_GT(hello.size(), 50U);
    co_await peer.send(hello);
    const std::string alert = co_await peer.read_to_end();
    EXPECT_EQ(alert.size(), 7U);
    EXPECT_EQ(alert.substr(0, 1), "\x15");                   // an alert
    EXPECT_EQ(alert.substr(5), std::string("\x02\x46", 2));  // fatal: protocol_version
  });
}

TEST(Tls, AServerOfTls11IsRefused) {
  run_task([](net::io_context& io) -> Awaitable<void> {
    const TestCa ca;
    // The server's answer to any client hello: it wants TLS 1.1 (a server hello of version 3.2).
    const test::ScriptedServer old(io, [](test::RawPeer& peer) -> Awaitable<void> {
      co_await peer.read_exactly(5);
      std::string hello("\x02\x00\x00\x26\x03\x02", 6);
      hello += std::string(32, 'r') + std::string("\x00\xc0\x13\x00", 4);
      const std::string record = std::string("\x16\x03\x02\x00\x2a", 5) + hello;
      co_await peer.send(record);
      co_await peer.read_to_end();
    });
    const Result<Response> got = co_await fetch_by(client_tls(ca), old.endpoint());
    EXPECT_EQ(got.error().kind(), ErrorKind::kUnsupported) << to_string(got.error());
    EXPECT_THAT(to_string(got.error()), HasSubstr("want TLS 1.2 or later"));
  });
}

}  // namespace
}  // namespace bellows::http
