#include "kubernetes/io/token_verifier.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/integration/kubernetes/api_world.hpp"
#include "tests/support/fake_api_server.hpp"
#include "tests/support/manual_clock.hpp"
#include "tests/support/run_until.hpp"
#include "tests/support/token_signer.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;
using test::FakeApiFault;
using test::TokenClaims;
using test::TokenSigner;

/// A verifier of a fake API server that publishes keys of a curve, which are made at once.
class TokenVerifierTest : public ::testing::Test {
 protected:
  TokenVerifierTest() {
    publish({&first});
    server.set_page(kIssuerPath, "application/json",
                    R"({"issuer":"https://kubernetes.default.svc","jwks_uri":"https://x/keys"})");
  }
  ~TokenVerifierTest() override {
    const auto end = [this]() -> http::Awaitable<void> {
      tasks.stop();
      co_await tasks.join(in(5s));
    };
    test::run_task<void>(io, end);
  }

  void publish(const std::vector<const TokenSigner*>& signers) {
    server.set_page(kKeysPath, "application/jwk-set+json", test::key_set(signers));
  }
  std::string token_of(const TokenSigner& signer) {
    const auto now =
        std::chrono::duration_cast<std::chrono::seconds>(clock.wall_now().time_since_epoch());
    const TokenClaims claims{.not_before = std::to_string(now.count()),
                             .expires = std::to_string(now.count() + 3600)};
    return signer.token(claims.json());
  }
  /// The reason of the refusal; empty: it is accepted.
  std::string verify(const std::string& token) {
    const auto verified =
        test::run_task<Result<ServiceAccountToken>>(io, [&] { return verifier.verify(token); });
    return verified ? "" : verified.error().culprit();
  }
  std::size_t asked() { return server.count(kKeysPath); }

  http::net::io_context io;
  test::ManualClock clock;
  test::FakeApiServer server{io};
  SeededRandom random{1};
  ApiClient client{io, std::make_shared<FakeCredentials>(server.endpoint()), random};
  http::TaskGroup tasks{io};
  TokenVerifier verifier{{io, clock, client, tasks}, "bellows-stats"};
  TokenSigner first{"first", "ES256"};
  TokenSigner second{"second", "ES256"};
  TokenSigner stranger{"stranger", "ES256"};
};

TEST_F(TokenVerifierTest, FetchesTheKeysOnceForAllTokens) {
  EXPECT_EQ(asked(), 0U);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(verify(token_of(first)), "");
  EXPECT_EQ(asked(), 1U);
  EXPECT_EQ(server.count(kIssuerPath), 1U);
}

TEST_F(TokenVerifierTest, SendersThatComeAtOnceWaitForOneAnswer) {
  int accepted = 0;
  const std::string token = token_of(first);
  for (int i = 0; i < 200; ++i) {
    tasks.spawn("sender", [&]() -> http::Awaitable<void> {
      const auto verified = co_await verifier.verify(token);
      if (verified) ++accepted;
    });
  }
  EXPECT_TRUE(test::run_until(io, [&] { return accepted == 200; }));
  EXPECT_EQ(asked(), 1U);
}

TEST_F(TokenVerifierTest, ANewKeyIsFoundWithItsFirstToken) {
  EXPECT_EQ(verify(token_of(first)), "");
  publish({&first, &second});
  clock.advance(10s);
  EXPECT_EQ(verify(token_of(second)), "");
  EXPECT_EQ(verify(token_of(first)), "") << "tokens of the key before are still there";
  EXPECT_EQ(asked(), 2U);
}

TEST_F(TokenVerifierTest, UnknownKeysAskAtMostEveryTenSeconds) {
  EXPECT_EQ(verify(token_of(first)), "");
  for (int second_of_test = 0; second_of_test < 60; ++second_of_test) {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(verify(token_of(stranger)), "token key");
    clock.advance(1s);
  }
  EXPECT_EQ(asked(), 6U) << "the first one and one every ten seconds, beginning with the tenth";
}

TEST_F(TokenVerifierTest, AKeyThatIsWithdrawnIsForgotten) {
  EXPECT_EQ(verify(token_of(first)), "");
  publish({&second});
  clock.advance(9min);
  EXPECT_EQ(verify(token_of(first)), "");
  clock.advance(1min);
  verify(token_of(second));  // asks
  EXPECT_TRUE(test::run_until(io, [&] { return asked() == 2 && tasks.running() == 0; }));
  EXPECT_EQ(verify(token_of(first)), "token key");
}

TEST_F(TokenVerifierTest, WithoutKeysNothingIsAcceptedUntilTheyCome) {
  server.fail({.target = kKeysPath, .times = 2, .code = 500});
  EXPECT_EQ(verify(token_of(first)), "token keys");
  EXPECT_EQ(verify(token_of(first)), "token keys") << "and it does not ask again at once";
  EXPECT_EQ(asked(), 1U);
  clock.advance(1s);
  EXPECT_EQ(verify(token_of(first)), "token keys");
  clock.advance(1s);
  EXPECT_EQ(verify(token_of(first)), "");
}

TEST_F(TokenVerifierTest, TheLastKeysStayWhileTheServerDoesNotAnswer) {
  EXPECT_EQ(verify(token_of(first)), "");
  server.stop();
  for (int i = 0; i < 5; ++i) {
    clock.advance(10min);
    EXPECT_EQ(verify(token_of(first)), "");
    EXPECT_TRUE(test::run_until(io, [&] { return tasks.running() == 0; }));
  }
  EXPECT_EQ(verify(token_of(second)), "token key");
}

TEST_F(TokenVerifierTest, AnswersThatAreNoKeysChangeNothing) {
  EXPECT_EQ(verify(token_of(first)), "");
  for (const char* bad : {"", "<html>", "{}", R"({"keys":[{"kty":"RSA","kid":"x"}]})"}) {
    server.set_page(kKeysPath, "application/jwk-set+json", bad);
    clock.advance(10s);
    EXPECT_EQ(verify(token_of(second)), "token key") << bad;
    EXPECT_EQ(verify(token_of(first)), "") << bad;
  }
  EXPECT_EQ(asked(), 5U);
}

TEST_F(TokenVerifierTest, AServerThatForbidsItsKeysIsNamed) {
  server.fail({.target = kIssuerPath, .times = 100, .code = 403});
  const auto verified = test::run_task<Result<ServiceAccountToken>>(
      io, [&] { return verifier.verify(token_of(first)); });
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().kind(), ErrorKind::kUnavailable);
  EXPECT_NE(to_string(verified.error()).find(kIssuerPath), std::string::npos)
      << to_string(verified.error());
}

}  // namespace
}  // namespace bellows::kubernetes
