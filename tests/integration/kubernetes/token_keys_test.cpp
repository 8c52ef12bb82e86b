#include "kubernetes/io/token_keys.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "tests/support/base64url.hpp"
#include "tests/support/token_signer.hpp"

namespace bellows::kubernetes {
namespace {

using namespace std::chrono_literals;
using test::to_base64url;
using test::TokenClaims;
using test::TokenSigner;

/// Keys are made once: RSA takes its time.
struct Signers {
  TokenSigner rsa{"rsa", "RS256"};
  TokenSigner other_rsa{"other", "RS256"};
  TokenSigner rs384{"rs384", "RS384"};
  TokenSigner rs512{"rs512", "RS512"};
  TokenSigner es256{"es256", "ES256"};
  TokenSigner es384{"es384", "ES384"};
  TokenSigner es512{"es512", "ES512"};
  TokenSigner stranger{"rsa", "RS256"};     // has the id of `rsa`
  TokenSigner gone{"gone", "RS256"};        // is in no set
  TokenSigner forged_es{"es256", "ES256"};  // has the id of `es256`
};
const Signers& signers() {
  static const Signers all;
  return all;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " in " << text;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// A row: what a sender tries, and the reason of the refusal; empty: accepted.
struct Row {
  std::string what;
  std::string token;
  std::string part;
};
using Rows = std::vector<Row>;

class TokenKeysTest : public ::testing::Test {
 protected:
  TokenKeysTest() {
    const Signers& s = signers();
    const auto taken = keys.take(
        test::key_set({&s.rsa, &s.other_rsa, &s.rs384, &s.rs512, &s.es256, &s.es384, &s.es512}));
    EXPECT_TRUE(taken);
  }

  Result<ServiceAccountToken> verify(std::string_view token, Duration at = 2000s) const {
    return keys.verify(token, rules, WallTime(at));
  }
  void expect(const Rows& rows) const {
    for (const Row& row : rows) {
      const auto verified = verify(row.token);
      const std::string culprit = verified ? "" : verified.error().culprit();
      EXPECT_EQ(culprit, row.part.empty() ? "" : "token " + row.part)
          << row.what << (verified ? "" : ": " + to_string(verified.error()));
      if (verified) continue;
      const std::string text = to_string(verified.error());
      EXPECT_TRUE(row.token.size() < 20 || text.find(row.token.substr(0, 20)) == std::string::npos)
          << "an error shows the token: " << text;
    }
  }

  TokenKeys keys;
  const TokenRules rules{
      .issuer = "https://kubernetes.default.svc", .audience = "bellows-stats", .leeway = 60s};
  const TokenClaims claims;
  const std::string good_claims = claims.json();
  const std::string good = signers().rsa.token(good_claims);
};

TEST_F(TokenKeysTest, ATokenOfEachAlgorithmIsAccepted) {
  const Signers& s = signers();
  for (const auto* each : {&s.rsa, &s.rs384, &s.rs512, &s.es256, &s.es384, &s.es512}) {
    const auto verified = verify(each->token(good_claims));
    ASSERT_TRUE(verified) << each->algorithm() << to_string(verified.error());
    const BoundPod want{
        .ns = "shop", .name = "web-1", .uid = "uid of web-1", .service_account = "default"};
    EXPECT_EQ(verified->pod, want);
    EXPECT_EQ(verified->expires, WallTime(4600s));
  }
}

TEST_F(TokenKeysTest, WhatIsNoTokenIsRefused) {
  const std::string head = good.substr(0, good.find('.'));
  const std::string rest = good.substr(good.find('.'));
  const std::string signature = good.substr(good.rfind('.') + 1);
  const std::string unsigned_text = good.substr(0, good.rfind('.') + 1);
  std::string long_claims = claims.json();
  long_claims.insert(1, "\"more\":\"" + std::string(16'000, 'x') + "\",");
  expect({{"nothing", "", "form"},
          {"a word", "secret", "form"},
          {"a dot", ".", "form"},
          {"two dots", "..", "head"},
          {"two parts", unsigned_text.substr(0, unsigned_text.size() - 1), "form"},
          {"four parts", good + ".x", "form"},
          {"an encrypted token", good + ".a.b", "form"},
          {"its scheme too", "Bearer " + good, "form"},
          {"a line break behind", good + "\n", "form"},
          {"a blank before", " " + good, "form"},
          {"a zero byte behind", good + std::string(1, '\0'), "form"},
          {"padding", head + "=" + rest, "form"},
          {"padding at the end", good + "==", "form"},
          {"the other alphabet, +", head + "+" + rest, "form"},
          {"the other alphabet, /", head + "/" + rest, "form"},
          {"a letter of no alphabet", head + "ä" + rest, "form"},
          {"one letter that is no byte", "A" + rest, "form"},
          {"bits behind the last byte", "QR" + rest, "form"},
          {"no head", rest, "head"},
          {"no claims", head + ".." + signature, "claims"},
          {"no signature", unsigned_text, "form"},
          {"16 KiB and one byte", std::string(16 * 1024 + 1, 'x'), "size"},
          {"1 MB", good + std::string(1'000'000, 'x'), "size"},
          {"1 MB of dots", std::string(1'000'000, '.'), "size"},
          {"signed, but large", signers().rsa.token(long_claims), "size"}});
}

TEST_F(TokenKeysTest, ABadHeadIsRefused) {
  const auto token = [&](const std::string& head) {
    return signers().rsa.token(head, good_claims);
  };
  const std::string deep(100, '[');
  expect(
      {{"no JSON", token("alg: RS256"), "head"},
       {"nothing", token(""), "head"},
       {"null", token("null"), "head"},
       {"a list", token("[]"), "head"},
       {"a number", token("1"), "head"},
       {"cut", token(R"({"alg":"RS256","kid":"rsa")"), "head"},
       {"more behind", token(R"({"alg":"RS256","kid":"rsa"}{})"), "head"},
       {"a comment", token(R"({"alg":"RS256",/**/"kid":"rsa"})"), "head"},
       {"a comma too many", token(R"({"alg":"RS256","kid":"rsa",})"), "head"},
       {"bytes that are no text", token("{\"alg\":\"RS256\",\"kid\":\"\xff\"}"), "head"},
       {"deep nesting", token(R"({"alg":"RS256","kid":"rsa","x":)" + deep), "head"},
       {"two algorithms", token(R"({"alg":"RS256","alg":"none","kid":"rsa"})"), "head"},
       {"two by an escape", token(R"({"alg":"RS256","\u0061lg":"none","kid":"rsa"})"), "head"},
       {"two keys", token(R"({"alg":"RS256","kid":"rsa","kid":"other"})"), "head"},
       {"no algorithm", token(R"({"kid":"rsa"})"), "head"},
       {"an empty algorithm", token(R"({"alg":"","kid":"rsa"})"), "head"},
       {"null as algorithm", token(R"({"alg":null,"kid":"rsa"})"), "head"},
       {"a list of algorithms", token(R"({"alg":["RS256"],"kid":"rsa"})"), "head"},
       {"no key", token(R"({"alg":"RS256"})"), "head"},
       {"an empty key", token(R"({"alg":"RS256","kid":""})"), "head"},
       {"a number as key", token(R"({"alg":"RS256","kid":1})"), "head"},
       {"a critical extension", token(R"({"alg":"RS256","crit":["x"],"kid":"rsa","x":1})"), "head"},
       {"unencoded claims", token(R"({"alg":"RS256","b64":false,"crit":["b64"],"kid":"rsa"})"),
        "head"}});
}

TEST_F(TokenKeysTest, TheAlgorithmIsThatOfTheKey) {
  const Signers& s = signers();
  const auto claim_that = [&](const std::string& algorithm) {
    return s.rsa.token(R"({"alg":")" + algorithm + R"(","kid":"rsa"})", good_claims);
  };
  const auto symmetric = [&](const std::string& secret) {
    const std::string text =
        to_base64url(R"({"alg":"HS256","kid":"rsa"})") + "." + to_base64url(good_claims);
    return text + "." + to_base64url(test::hmac(secret, text));
  };
  const auto bare = [&](const std::string& algorithm) {
    return to_base64url(R"({"alg":")" + algorithm + R"(","kid":"rsa"})") + "." +
           to_base64url(good_claims) + ".";
  };
  Rows rows;
  for (const char* each : {"none", "None", "NONE", "nOnE"}) {
    rows.push_back({std::string(each) + " without a signature", bare(each), "form"});
    rows.push_back({std::string(each) + " with one", claim_that(each), "algorithm"});
  }
  for (const char* each : {"HS256", "HS384", "HS512", "PS256", "RS1", "RS384", "RS512", "ES256",
                           "ES384", "EdDSA", "rs256", "RS256 ", "RSA-OAEP", "dir"}) {
    rows.push_back({std::string(each) + " of a key of RS256", claim_that(each), "algorithm"});
  }
  rows.push_back({"the public key as a secret", symmetric(s.rsa.public_pem()), "algorithm"});
  rows.push_back({"its JSON as a secret", symmetric(s.rsa.json()), "algorithm"});
  rows.push_back({"an empty secret", symmetric(""), "algorithm"});
  rows.push_back({"no key of the algorithm",
                  s.rs384.token(R"({"alg":"RS256","kid":"rs384"})", good_claims), "algorithm"});
  rows.push_back({"a curve's key for another curve",
                  s.es256.token(R"({"alg":"ES384","kid":"es256"})", good_claims), "algorithm"});
  expect(rows);
}

TEST_F(TokenKeysTest, OnlyAKeyOfTheServerSigns) {
  const Signers& s = signers();
  const auto head = [](const std::string& more) {
    return R"({"alg":"RS256","kid":"rsa",)" + more + "}";
  };
  const auto of_key = [&](const std::string& id) {
    return s.rsa.token(R"({"alg":"RS256","kid":")" + id + R"("})", good_claims);
  };
  const std::string jwk = s.stranger.json();
  expect(
      {{"of a key that nobody knows", s.gone.token(good_claims), "key"},
       {"of a file", of_key("../../../dev/null"), "key"},
       {"of a query", of_key("' OR 1=1 --"), "key"},
       {"of a key in upper case", of_key("RSA"), "key"},
       {"of a key with a blank", of_key("rsa "), "key"},
       {"of another key of the server", of_key("other"), "signature"},
       {"of a stranger with its id", s.stranger.token(good_claims), "signature"},
       {"of a stranger that brings its key", s.stranger.token(head("\"jwk\":" + jwk), good_claims),
        "signature"},
       {"of a stranger that says where its key is",
        s.stranger.token(head(R"("jku":"https://evil.example/keys")"), good_claims), "signature"},
       {"of a stranger with the address of its certificate",
        s.stranger.token(head(R"("x5u":"https://evil.example/c")"), good_claims), "signature"},
       {"of a stranger with a chain", s.stranger.token(head(R"("x5c":["MIIB"])"), good_claims),
        "signature"},
       {"of a stranger with a curve's key", s.forged_es.token(good_claims), "signature"}});
}

TEST_F(TokenKeysTest, WhatIsSignedIsNotChanged) {
  const Signers& s = signers();
  const std::string text = good.substr(0, good.rfind('.'));
  const auto signed_by = [&](const std::string& bytes) { return text + "." + to_base64url(bytes); };
  const std::string right = s.rsa.signature(text);
  const auto flipped = [&](std::size_t at) {
    std::string bytes = right;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    return signed_by(bytes);
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return to_base64url(s.rsa.head()) + "." + to_base64url(with(good_claims, from, to)) + "." +
           to_base64url(right);
  };
  const std::string es = s.es256.token(good_claims);
  const std::string es_text = es.substr(0, es.rfind('.'));
  const auto es_with = [&](const std::string& bytes) {
    return es_text + "." + to_base64url(bytes);
  };
  const std::string es_right = s.es256.signature(es_text);
  expect(
      {{"its first bit", flipped(0), "signature"},
       {"a bit within", flipped(100), "signature"},
       {"its last bit", flipped(255), "signature"},
       {"cut", signed_by(right.substr(0, 255)), "signature"},
       {"longer", signed_by(right + "x"), "signature"},
       {"one byte", signed_by("x"), "signature"},
       {"zeros", signed_by(std::string(256, '\0')), "signature"},
       {"of another token", signed_by(s.rsa.signature(text + "x")), "signature"},
       {"another pod", changed("web-1\",", "web-2\","), "signature"},
       {"another uid", changed("uid of web-1", "uid of web-2"), "signature"},
       {"another namespace", changed("\"shop\"", "\"bank\""), "claims"},
       {"another account",
        to_base64url(s.rsa.head()) + "." +
            to_base64url(TokenClaims{.account = "bellows-activator"}.json()) + "." +
            to_base64url(right),
        "signature"},
       {"a longer life", changed("4600", "9600"), "signature"},
       {"a blank more", changed("{\"aud\"", "{ \"aud\""), "signature"},
       {"the key's name in another way",
        to_base64url(R"({"kid":"rsa","alg":"RS256"})") + "." + to_base64url(good_claims) + "." +
            to_base64url(right),
        "signature"},
       {"a curve's: zeros", es_with(std::string(64, '\0')), "signature"},
       {"a curve's: as ASN.1",
        es_with("0D\x02 " + es_right.substr(0, 32) + "\x02 " + es_right.substr(32)), "signature"},
       {"a curve's: cut", es_with(es_right.substr(0, 63)), "signature"},
       {"a curve's: its halves swapped", es_with(es_right.substr(32) + es_right.substr(0, 32)),
        "signature"},
       {"a curve's: all ones", es_with(std::string(64, '\xff')), "signature"}});
}

/// Each claim is missing, of another type, empty, there twice.
TEST_F(TokenKeysTest, AClaimOfAnotherShapeIsRefused) {
  struct Claim {
    std::string text;  // with its key
    std::string part;
  };
  const std::vector<Claim> all = {
      {R"("iss":"https://kubernetes.default.svc")", "claims"},
      {R"("aud":["bellows-stats"])", "claims"},
      {R"("exp":4600)", "claims"},
      {R"("nbf":1000)", "claims"},
      {R"("sub":"system:serviceaccount:shop:default")", "claims"},
      {R"("namespace":"shop")", "claims"},
      {R"("serviceaccount":{"name":"default","uid":"uid of the account"})", "claims"},
      {R"("pod":{"name":"web-1","uid":"uid of web-1"})", "pod"},
      {R"("name":"web-1")", "pod"},
      {R"("uid":"uid of web-1")", "pod"}};
  Rows rows;
  for (const Claim& claim : all) {
    const std::string key = claim.text.substr(0, claim.text.find(':'));
    const auto row = [&](const std::string& what, const std::string& to, const std::string& part) {
      rows.push_back(
          {key + " " + what, signers().rsa.token(with(good_claims, claim.text, to)), part});
    };
    if (key != "\"nbf\"") row("is missing", R"("missing":1)", claim.part);
    row("is null", key + ":null", claim.part);
    row("is a flag", key + ":true", claim.part);
    row("is an empty text", key + ":\"\"", key == "\"aud\"" ? "audience" : claim.part);
    row("is an object", key + ":{}", claim.part);
    row("is there twice", claim.text + "," + claim.text, "claims");
  }
  rows.push_back({"no JSON", signers().rsa.token("claims"), "claims"});
  rows.push_back({"a list", signers().rsa.token("[]"), "claims"});
  expect(rows);
}

TEST_F(TokenKeysTest, ATokenForOthersIsRefused) {
  const auto token = [](const TokenClaims& made) { return signers().rsa.token(made.json()); };
  const auto audience = [&](const std::string& text) { return token({.audience = text}); };
  const auto issuer = [&](const std::string& text) { return token({.issuer = text}); };
  std::string many;
  for (int i = 0; i < 32; ++i) many += R"("a",)";
  expect({{"the API server's", audience(R"(["https://kubernetes.default.svc"])"), "audience"},
          {"a part of the name", audience(R"(["bellows"])"), "audience"},
          {"a longer name", audience(R"(["bellows-stats-2"])"), "audience"},
          {"upper case", audience(R"(["BELLOWS-STATS"])"), "audience"},
          {"a text for others", audience(R"("other")"), "audience"},
          {"two in one text", audience(R"("other bellows-stats")"), "audience"},
          {"an empty list", audience("[]"), "claims"},
          {"a list of numbers", audience("[1]"), "claims"},
          {"ours and a number", audience(R"(["bellows-stats",1])"), "claims"},
          {"33 of them", audience("[" + many + R"("bellows-stats"])"), "claims"},
          {"a text for us", audience(R"("bellows-stats")"), ""},
          {"for others and us", audience(R"(["other","bellows-stats"])"), ""},
          {"another issuer", issuer(R"("https://evil.example")"), "issuer"},
          {"a slash behind", issuer(R"("https://kubernetes.default.svc/")"), "issuer"},
          {"another case", issuer(R"("https://Kubernetes.default.svc")"), "issuer"},
          {"without https", issuer(R"("http://kubernetes.default.svc")"), "issuer"},
          {"of a Secret, for ever", issuer(R"("kubernetes/serviceaccount")"), "issuer"},
          {"another account in sub",
           signers().rsa.token(with(good_claims, "shop:default", "shop:x")), "claims"},
          {"another namespace in sub",
           signers().rsa.token(with(good_claims, "account:shop", "account:bank")), "claims"}});
}

TEST_F(TokenKeysTest, ATokenCountsInItsTimeOnly) {
  const auto part_at = [&](const std::string& token, Duration at) {
    const auto verified = verify(token, at);
    return verified ? "" : verified.error().culprit();
  };
  EXPECT_EQ(part_at(good, 939s), "token time") << "the clock may differ by a minute";
  EXPECT_EQ(part_at(good, 940s), "");
  EXPECT_EQ(part_at(good, 4659s), "");
  EXPECT_EQ(part_at(good, 4660s), "token time");
  EXPECT_EQ(part_at(good, 4600s + 1h), "token time") << "a clock that is off by an hour";
  const auto token = [](const TokenClaims& made) { return signers().rsa.token(made.json()); };
  expect({{"it has expired", token({.expires = "1940"}), "time"},
          {"it never was valid", token({.not_before = "3000", .expires = "2500"}), "time"},
          {"it begins later", token({.not_before = "2061"}), "time"},
          {"it ended at the beginning", token({.expires = "0"}), "time"},
          {"it ends before the beginning", token({.expires = "-1"}), "claims"},
          {"it never ends", token({.expires = "4000000001"}), "claims"},
          {"it ends beyond all numbers", token({.expires = "1e300"}), "claims"},
          {"it ends beyond 64 bits", token({.expires = "99999999999999999999"}), "claims"},
          {"its end is a text", token({.expires = R"("4600")"}), "claims"},
          {"its begin is a fraction", token({.not_before = "0.5"}), "claims"}});
}

TEST_F(TokenKeysTest, KeysThatCannotSignAreSkippedOrRefused) {
  const TokenSigner& rsa = signers().rsa;
  const auto set = [](const std::string& members) { return R"({"keys":[)" + members + "]}"; };
  const auto accepts = [&](const std::string& text) {
    TokenKeys made;
    return made.take(text) && made.verify(good, rules, WallTime(2000s));
  };
  EXPECT_TRUE(accepts(set(rsa.json())));
  EXPECT_TRUE(accepts(set(with(rsa.json(), R"("alg":"RS256",)", "")))) << "RS256 if it has none";
  EXPECT_TRUE(accepts(set(R"({"kty":"oct","kid":"rsa","k":"AAAA","alg":"HS256"},)" + rsa.json())));
  EXPECT_TRUE(accepts(set(R"({"kty":"OKP","kid":"x","crv":"Ed25519","x":"AA"},)" + rsa.json())));
  EXPECT_FALSE(accepts(set(R"({"kty":"oct","kid":"rsa","k":"AAAA","alg":"RS256"})")));
  EXPECT_FALSE(accepts(set(with(rsa.json(), "\"sig\"", "\"enc\""))));
  EXPECT_FALSE(accepts(set(with(rsa.json(), "RS256", "HS256"))));
  TokenKeys kept;
  ASSERT_TRUE(kept.take(set(rsa.json())));
  const std::string point = signers().es256.json();
  for (const std::string& bad :
       {std::string("{}"), std::string("[]"), std::string("<html>"), set("1"),
        set(rsa.json() + "," + rsa.json()), set(with(point, R"("x":")", R"("x":"AA)")),
        set(with(point, R"("y":")" + std::string(), R"("y":"","z":")")),
        set(with(with(point, R"("y":)", R"("yy":)"), R"("x":)",
                 R"("y":")" + std::string(43, 'A') + R"(","x":)")),
        set(with(rsa.json(), R"("e":"AQAB")", R"("e":"AQABAQABAQAB")")),
        R"({"keys":[],"keys":[)" + rsa.json() + "]}"}) {
    EXPECT_FALSE(kept.take(bad)) << bad;
  }
  EXPECT_TRUE(kept.verify(good, rules, WallTime(2000s))) << "those before stay";
}

/// Prints how many a core verifies; docs/decisions/security.md has the number of an optimised
/// build.
TEST_F(TokenKeysTest, VerifiesManyTokens) {
  constexpr int kTokens = 2'000;
  const std::clock_t began = std::clock();
  for (int i = 0; i < kTokens; ++i) ASSERT_TRUE(verify(good));
  const double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  std::printf("%.0f tokens of %zu bytes a second\n", kTokens / seconds, good.size());
}

}  // namespace
}  // namespace bellows::kubernetes
