// The corpus of messages that try to deceive a proxy, with a real session: what a caller
// receives, what the app receives, and what it must never receive.
#include <gtest/gtest.h>

#include "tests/integration/proxy/corpus_file.hpp"
#include "tests/integration/proxy/proxy_world.hpp"

namespace bellows::proxy {
namespace {

using test::CorpusCase;
using test::TestPeer;

/// Bytes that arrive at once, or one by one.
void send(ProxyWorld& world, TestPeer& peer, const std::string& bytes, bool singly) {
  if (!singly) {
    peer.say(bytes);
    return;
  }
  for (const char c : bytes) {
    if (!peer.say({&c, 1})) return;  // the proxy has closed: it has seen enough
    world.io.poll();
    world.io.poll();
  }
}

bool is_refused_in_its_head(const CorpusCase& given) {
  return given.status != 0 && !given.says("late");
}

/// Caller and app of a proxy that receives a request of the corpus.
class FromCaller {
 public:
  FromCaller(const CorpusCase& given, bool singly) : case_(given) {
    caller_ = world_.caller();
    send(world_, caller_, given.comes, singly);
  }

  /// The requests that are forwarded, each with a response.
  void expect_passed() {
    std::string received;
    std::size_t answers = 0;
    for (const std::string& request : case_.goes) {
      received += request;
      if (!app_.is_open()) app_ = world_.accept();
      ASSERT_TRUE(world_.hears(app_, received)) << app_.received();
      ASSERT_TRUE(app_.say(kOk));
      ++answers;
      ASSERT_TRUE(world_.until([&] {
        caller_.listen();
        return count(caller_.received(), "\r\n\r\nok") == answers;
      })) << caller_.received();
    }
  }
  void expect_refused() {
    ASSERT_TRUE(world_.hears_end(caller_)) << caller_.received();
    EXPECT_FALSE(caller_.was_reset()) << "the answer would be lost";
    const std::string& received = caller_.received();
    EXPECT_EQ(count(received, "\r\nDate: "), case_.goes.size() + 1) << "answers in " << received;
    const std::size_t last = received.rfind("HTTP/1.1 " + std::to_string(case_.status) + " ");
    ASSERT_NE(last, std::string::npos) << received;
    const std::string refusal = received.substr(last);
    EXPECT_NE(refusal.find("\r\nX-Bellows-Reason: " + case_.error + "\r\n"), std::string::npos);
    EXPECT_NE(refusal.find("\r\nConnection: close\r\n"), std::string::npos);
  }
  /// The app has received what it should, and no more.
  void expect_nothing_else() {
    std::string received;
    for (const std::string& request : case_.goes) received += request;
    settle();
    EXPECT_EQ(app_.received(), received);
    caller_.close();
    EXPECT_TRUE(world_.is_at_rest());
    settle();
    EXPECT_EQ(app_.received(), received);
  }
  /// What was forwarded of a body that is malformed later is not a complete request, and its
  /// connection is closed.
  void expect_no_whole_request() {
    settle();
    if (app_.is_open()) {
      EXPECT_TRUE(world_.hears_end(app_));
      EXPECT_FALSE(app_.received().ends_with("\r\n0\r\n\r\n")) << app_.received();
    }
    EXPECT_TRUE(world_.is_at_rest());
  }

 private:
  static std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }
  void settle() {
    for (int i = 0; i < 5; ++i) {
      world_.io.poll();
      if (!app_.is_open()) app_ = world_.app.accept();
      app_.listen();
    }
    EXPECT_FALSE(world_.app.accept().is_open()) << "a second upstream connection";
  }

  const CorpusCase& case_;
  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
};

class RequestCorpus : public testing::TestWithParam<const char*> {};

TEST_P(RequestCorpus, EachIsRejectedOrForwardedAsItsCaseSays) {
  for (const CorpusCase& given : test::read_corpus(GetParam())) {
    SCOPED_TRACE(given.name);
    FromCaller exchange(given, false);
    exchange.expect_passed();
    if (given.status != 0) exchange.expect_refused();
    exchange.expect_nothing_else();
  }
}

TEST_P(RequestCorpus, TheSameIfItsBytesArriveOneByOne) {
  for (const CorpusCase& given : test::read_corpus(GetParam())) {
    // A long one costs a read per byte and tests nothing more.
    if (given.goes.size() > 1 || given.comes.size() > 2000) continue;
    SCOPED_TRACE(given.name);
    FromCaller exchange(given, true);
    exchange.expect_passed();
    if (given.status != 0) exchange.expect_refused();
    if (given.status == 0 || is_refused_in_its_head(given)) {
      exchange.expect_nothing_else();
    } else {
      exchange.expect_no_whole_request();
    }
  }
}

std::string file_kind(const testing::TestParamInfo<const char*>& file) {
  const std::string name = file.param;
  return name.substr(0, name.find('_'));
}

INSTANTIATE_TEST_SUITE_P(Files, RequestCorpus,
                         testing::Values("framing_requests.txt", "head_requests.txt",
                                         "hop_requests.txt"),
                         file_kind);

/// Caller and app of a proxy that receives a response of the corpus.
class FromApp {
 public:
  FromApp(const CorpusCase& given, bool singly) : case_(given) {
    caller_ = world_.caller();
    EXPECT_TRUE(caller_.say(given.asks.empty() ? "GET / HTTP/1.1\r\nHost: a\r\n\r\n" : given.asks));
    app_ = world_.accept();
    EXPECT_TRUE(world_.until([&] {
      app_.listen();
      return !app_.received().empty();
    }));
    send(world_, app_, given.comes, singly);
    if (given.says("close")) app_.finish();
    if (!given.says("reset")) return;
    world_.until([&] {
      caller_.listen();
      return caller_.received().size() >= given.goes.at(0).size();
    });
    app_.reset();
  }

  void expect_answer() {
    if (case_.status != 0) return expect_502();
    const std::string& expected = case_.goes.at(0);
    EXPECT_TRUE(world_.hears(caller_, expected)) << caller_.received();
    for (int i = 0; i < 5; ++i) world_.io.poll();
    caller_.listen();
    EXPECT_EQ(ProxyWorld::without_date(caller_.received()), expected) << "and nothing behind it";
    const bool is_last = expected.find("\r\nConnection: close\r\n") != std::string::npos;
    if (!is_last && !case_.says("cut")) return;
    EXPECT_TRUE(world_.hears_end(caller_));
    EXPECT_EQ(caller_.was_reset(), case_.says("cut"));
  }
  void expect_upstream_kept_or_closed() {
    EXPECT_TRUE(world_.is_at_rest());
    if (case_.says("reset")) return;
    EXPECT_EQ(world_.handler.pool.idle(), case_.says("reused") ? 1U : 0U);
  }

 private:
  void expect_502() {
    EXPECT_TRUE(world_.until([&] {
      caller_.listen();
      return !caller_.received().empty();
    }));
    EXPECT_TRUE(caller_.received().starts_with("HTTP/1.1 502 Bad Gateway\r\n"))
        << caller_.received();
    EXPECT_NE(caller_.received().find("\r\nX-Bellows-Reason: " + case_.error + "\r\n"),
              std::string::npos)
        << caller_.received();
    EXPECT_TRUE(world_.hears_end(app_)) << "its connection is of no more use";
  }

  const CorpusCase& case_;
  ProxyWorld world_;
  TestPeer caller_;
  TestPeer app_;
};

TEST(ResponseCorpus, EachIsRepairedOrBecomesA502) {
  for (const CorpusCase& given : test::read_corpus("answers.txt")) {
    SCOPED_TRACE(given.name);
    FromApp exchange(given, false);
    exchange.expect_answer();
    exchange.expect_upstream_kept_or_closed();
  }
}

/// Those after which no other byte can arrive, so that no byte is read too early or too late,
/// and those with a malformed head.
TEST(ResponseCorpus, TheSameIfItsBytesArriveOneByOne) {
  for (const CorpusCase& given : test::read_corpus("answers.txt")) {
    if (given.status == 0 ? !given.says("reused") : given.says("late")) continue;
    SCOPED_TRACE(given.name);
    FromApp exchange(given, true);
    exchange.expect_answer();
    exchange.expect_upstream_kept_or_closed();
  }
}

TEST(ResponseCorpus, TheCorpusIsAsLargeAsPromised) {
  std::size_t requests = 0;
  for (const char* file : {"framing_requests.txt", "head_requests.txt", "hop_requests.txt"}) {
    requests += test::read_corpus(file).size();
  }
  EXPECT_GE(requests, 150U);
  EXPECT_GE(test::read_corpus("answers.txt").size(), 30U);
}

}  // namespace
}  // namespace bellows::proxy
