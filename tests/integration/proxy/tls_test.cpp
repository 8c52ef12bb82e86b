// A proxy whose callers speak TLS: the same sessions, each call failing once, and what the app is
// told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/io/tls_connection.hpp"
#include "http/tls/tls_port.hpp"
#include "tests/integration/proxy/proxy_world.hpp"
#include "tests/support/certificates.hpp"
#include "tests/support/tls_peer.hpp"

namespace bellows::proxy {
namespace {

using test::TestPeer;
using test::TlsPeer;
using ::testing::HasSubstr;
using ::testing::Not;

http::Pem pem(const std::string& text) {
  return {.path = {}, .text = text, .name = "a text"};
}

/// Certificates are made once: each world of a fault needs the same.
struct Identities {
  test::TestCa ca;
  /// For the host of the handshakes, and for that of most requests.
  test::TestCertificate server =
      ca.sign({.common_name = "localhost", .dns_names = {"localhost", "a", "*.wild.example"}});
  test::TestCertificate alice = ca.sign({.common_name = "alice"});
  std::shared_ptr<http::TlsContext> caller = make({});
  std::shared_ptr<http::TlsContext> named = make(alice);

  std::shared_ptr<http::TlsContext> make(const test::TestCertificate& own) const {
    http::TlsClientSettings settings;
    settings.ca = pem(ca.certificate());
    if (!own.key.empty()) settings.certificate = pem(own.certificate);
    if (!own.key.empty()) settings.key = pem(own.key);
    return http::make_tls_client(settings).value();
  }
};

const Identities& identities() {
  static const Identities all;
  return all;
}

ProxyServerOptions with_hsts(std::chrono::seconds max_age) {
  ProxyServerOptions options = full_detail();
  options.hsts = max_age;
  options.trusted_proxies = TrustedProxies("127.0.0.1");
  return options;
}

struct TlsProxyWorld : ProxyWorld {
  explicit TlsProxyWorld(std::chrono::seconds hsts = std::chrono::seconds::zero())
      : ProxyWorld({}, with_hsts(hsts)) {
    http::TlsPortSettings settings;
    settings.certificates.push_back({.name = "a",
                                     .certificate = pem(identities().server.certificate),
                                     .key = pem(identities().server.key)});
    settings.client_ca = pem(identities().ca.certificate());
    settings.clients = http::ClientCertificates::kOptional;
    tls = http::TlsPort::open(std::move(settings), sys::system_clock().wall_now()).value();
    const auto make = [this](sys::Descriptor socket, const http::SocketAddress&) {
      return std::make_unique<http::TlsConnection>(
          reactor, std::move(socket), tls->start({}).value(),
          http::TlsConnectionOptions{.counters = &counters});
    };
    const Endpoint any{.host = "127.0.0.1", .port = 0, .unix_path = {}};
    secure_port = server.listen(any, Peer::kOutside, make).value().port;
  }

  bool until_heard(TlsPeer& caller, std::string_view text) {
    return until([&] {
      caller.listen();
      return without_date(caller.received()) == text || caller.has_ended();
    });
  }

  http::TlsCounters counters;
  std::unique_ptr<http::TlsPort> tls;
  std::uint16_t secure_port = 0;
};

/// What the app receives of `request`, which gets kOk.
std::string forwarded(const std::string& request, http::TlsContext& caller_context) {
  TlsProxyWorld world;
  world.handler.options.downstream = Peer::kOutside;
  TlsPeer caller = TlsPeer::connect_to(world.secure_port, caller_context);
  caller.say(request);
  TestPeer app;
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    if (!app.is_open()) app = world.app.accept();
    app.listen();
    return app.received().ends_with("\r\n\r\n");
  }));
  app.say(kOk);
  EXPECT_TRUE(world.until_heard(caller, kOk));
  EXPECT_EQ(ProxyWorld::without_date(caller.received()), kOk);
  return app.received();
}

TEST(SecurePort, TheAppIsToldTheSchemeAndTheNameThatTheCallerHasProved) {
  const std::string evil =
      "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-Client-Cert: evil\r\nx-forwarded-client-cert: e\r\n"
      "X_Forwarded_Client_Cert: evil\r\n\r\n";
  const std::string anonymous = forwarded(evil, *identities().caller);
  EXPECT_THAT(anonymous, HasSubstr("Forwarded: for=127.0.0.1;host=a;proto=https\r\n"));
  EXPECT_THAT(anonymous, HasSubstr("X-Forwarded-Proto: https\r\n"));
  EXPECT_THAT(anonymous, Not(HasSubstr("lient")));
  const std::string named = forwarded(evil, *identities().named);
  EXPECT_THAT(named, HasSubstr(";Subject=\"CN=alice\"\r\n"));
  EXPECT_THAT(named, Not(HasSubstr("evil")));
}

TEST(SecurePort, RequestsOfOneConnectionFollowEachOther) {
  TlsProxyWorld world;
  TlsPeer caller = TlsPeer::connect_to(world.secure_port, *identities().caller);
  TestPeer app;
  for (int i = 0; i < 3; ++i) {
    caller.say(kPost);
    ASSERT_TRUE(world.until([&] {
      caller.listen();
      if (!app.is_open()) app = world.app.accept();
      app.listen();
      return app.received() == kPost;
    }));
    app.take_received();
    app.say(kOk);
    ASSERT_TRUE(world.until_heard(caller, kOk));
    EXPECT_EQ(ProxyWorld::without_date(caller.take_received()), kOk);
  }
  EXPECT_EQ(world.counters.full, 1U);
  caller.finish();
  EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }));
}

/// What a caller that named "localhost" gets for a request of `host` with `lines`; the app sends
/// `response`.
std::string response_to(TlsProxyWorld& world, const std::string& host, const std::string& lines,
                        std::string_view response = kOk) {
  TlsPeer caller = TlsPeer::connect_to(world.secure_port, *identities().caller);
  caller.say("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n" + lines + "\r\n");
  TestPeer app;
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    if (!app.is_open()) {
      app = world.app.accept();
    } else {
      app.listen();
      if (app.received().ends_with("\r\n\r\n")) {
        app.take_received();
        app.say(response);
      }
    }
    return caller.has_ended();
  }));
  return std::string(caller.received());
}

TEST(SecurePort, ARequestForAHostOfAnotherCertificateIsMisdirected) {
  struct Row {
    std::string host;
    std::string lines;
    bool is_served;
  };
  const Row table[] = {
      {"localhost", "", true},
      {"LOCALHOST:8443", "", true},
      {"a", "", true},
      {"x.wild.example:1", "", true},
      {"b", "", false},
      {"x.y.wild.example", "", false},
      {"127.0.0.1", "", false},
      {"[::1]:8443", "", false},
      {"b", "X-Forwarded-For: 192.0.2.1\r\n", true},  // 127.0.0.1 is a trusted proxy
  };
  TlsProxyWorld world;
  for (const Row& row : table) {
    const std::string got = response_to(world, row.host, row.lines);
    EXPECT_THAT(got, ::testing::StartsWith(row.is_served ? "HTTP/1.1 200 "
                                                         : "HTTP/1.1 421 Misdirected Request\r\n"))
        << row.host;
    const bool is_told = got.find("X-Bellows-Reason: misdirected\r\n") != std::string::npos;
    EXPECT_NE(is_told, row.is_served) << row.host;
  }
}

TEST(SecurePort, ResponsesHaveStrictTransportSecurityIfItIsSet) {
  const std::string line = "Strict-Transport-Security: max-age=600\r\n";
  TlsProxyWorld world(std::chrono::seconds(600));
  EXPECT_THAT(response_to(world, "a", ""), HasSubstr(line));
  EXPECT_THAT(response_to(world, "b", ""), HasSubstr(line));             // of Bellows itself
  EXPECT_THAT(response_to(world, "a", "X: \x01\r\n"), HasSubstr(line));  // a head that is none
  const std::string own =
      "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=1; preload\r\nContent-Length: "
      "0\r\n\r\n";
  const std::string kept = response_to(world, "a", "", own);
  EXPECT_THAT(kept, HasSubstr("max-age=1; preload\r\n"));
  EXPECT_THAT(kept, Not(HasSubstr(line)));
  TlsProxyWorld without;
  EXPECT_THAT(response_to(without, "a", ""), Not(HasSubstr("Strict-Transport-Security")));
}

TEST(SecurePort, AConnectionThatCannotBeServedIsClosedAndLeavesNothing) {
  ProxyWorld world({.slots = 1, .queue = {.count = 1}}, [] {
    ProxyServerOptions options = full_detail();
    options.max_client_connections = 1;
    return options;
  }());
  const auto none = [](sys::Descriptor, const http::SocketAddress&) { return nullptr; };
  const Endpoint any{.host = "127.0.0.1", .port = 0, .unix_path = {}};
  const std::uint16_t port = world.server.listen(any, Peer::kOutside, none).value().port;
  for (int i = 0; i < 3; ++i) {
    TestPeer caller = TestPeer::connect_to(port);
    EXPECT_TRUE(world.hears_end(caller));
  }
  EXPECT_EQ(world.server.connections(), 0U);
  EXPECT_EQ(world.server.counters().refused_connections, 0U) << "it counts for nobody";
}

/// One upload and a large answer, as far as they come. False: the caller has seen something whole
/// that is not.
bool play(TlsProxyWorld& world, const std::string& answer) {
  TlsPeer caller = TlsPeer::connect_to(world.secure_port, *identities().caller);
  caller.say(kPost);
  std::vector<TestPeer> apps;
  EXPECT_TRUE(world.until([&] {
    caller.listen();
    if (TestPeer app = world.app.accept(); app.is_open()) apps.push_back(std::move(app));
    for (TestPeer& app : apps) {
      app.listen();
      if (app.received() != kPost) continue;
      app.take_received();
      app.say(answer);
    }
    const ProxyCounters& counters = world.server.counters();
    return caller.has_ended() || (counters.requests == 1 && counters.in_flight == 0);
  }));
  world.until([&] {
    caller.listen();
    return caller.has_ended() || !world.sockets.fails_any() ||
           ProxyWorld::without_date(caller.received()) == answer || world.outcomes.empty() ||
           !world.outcomes[0].aborted_by;
  });
  const std::string heard = ProxyWorld::without_date(caller.received());
  const bool is_ours = heard.starts_with("HTTP/1.1 5");
  if (caller.has_ended() && !caller.was_cut() && !heard.empty() && !is_ours) return heard == answer;
  return is_ours || answer.starts_with(heard);
}

TEST(SecurePort, EachCallFailsOnceAndNothingIsLeft) {
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n" + std::string(60'000, 'b');
  int receives = 0;
  int sends = 0;
  {
    TlsProxyWorld world;
    ASSERT_TRUE(play(world, answer));
    receives = world.sockets.receives;
    sends = world.sockets.sends;
  }
  ASSERT_GT(receives, 3);
  ASSERT_GT(sends, 3);
  const auto fail = [&](int FaultySockets::*fault, int n) {
    SCOPED_TRACE(n);
    TlsProxyWorld world;
    world.sockets.*fault = n;
    EXPECT_TRUE(play(world, answer));
    EXPECT_TRUE(world.until([&] { return world.server.counters().open_connections == 0; }));
    EXPECT_TRUE(world.is_at_rest());
  };
  for (int n = 0; n < receives; ++n) fail(&FaultySockets::fail_receive, n);
  for (int n = 0; n < sends; ++n) fail(&FaultySockets::fail_send, n);
}

}  // namespace
}  // namespace bellows::proxy
