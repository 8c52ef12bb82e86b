#include "kubernetes/io/informer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/io/event.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/core/pod.hpp"
#include "tests/integration/kubernetes/api_world.hpp"

namespace bellows::kubernetes {
namespace {

using test::RawPeer;
using test::run_task;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

std::string pod(const std::string& name, int version) {
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
         R"(","namespace":"shop","uid":"u-)" + name + R"(","resourceVersion":")" +
         std::to_string(version) + R"("}})";
}

std::string page(const std::string& items, int version, const std::string& token = {}) {
  return whole_answer(
      200, R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":")" +
               std::to_string(version) + R"(","continue":")" + token + R"("},"items":[)" + items +
               "]}");
}

std::string event(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string chunk(const std::string& text) {
  char size[16];
  std::snprintf(size, sizeof size, "%zx", text.size());
  return std::string(size) + "\r\n" + text + "\r\n";
}

constexpr std::string_view kStreamHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// An informer of pods whose changes are noted.
struct PodWorld {
  PodWorld(http::net::io_context& io, ScriptedApi::Answer answer)
      : world(io, std::move(answer)),
        store([this](const auto& before, const auto& after) {
          notes.push_back(!before  ? "+" + after->meta.name
                          : !after ? "-" + before->meta.name
                                   : after->meta.name);
        }),
        informer(world.client, options(), store, world.random,
                 [this](const Error& error) { notes.push_back("rejected " + to_string(error)); }),
        tasks(io) {
    tasks.spawn("informer", [this] { return informer.run(); });
  }
  static ListWatchOptions options() {
    ListWatchOptions options;
    options.resource = pods();
    return options;
  }

  /// Ends once `done()`, which is asked whenever something may have changed.
  Awaitable<void> until(std::function<bool()> done) {
    while (!done()) co_await http::sleep_for(1ms);
  }
  Awaitable<void> stop() {
    tasks.stop();
    const Result<void> joined = co_await tasks.join(in(10s));
    EXPECT_TRUE(joined.has_value());
  }

  std::vector<std::string> notes;
  ApiWorld world;
  ObjectStore<Pod> store;
  Informer informer;
  http::TaskGroup tasks;
};

bool is_watch(const Asked& asked) {
  return asked.line().find("watch=") != std::string::npos;
}

TEST(Informer, ItListsInPagesAndFollowsTheWatch) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    PodWorld pods_of(io, [](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      if (is_watch(asked)) {
        const std::string events =
            event("ADDED", pod("c", 12)) + event("MODIFIED", pod("a", 13)) +
            event("DELETED", pod("b", 14)) +
            event("BOOKMARK", R"({"kind":"Pod","metadata":{"resourceVersion":"20"}})");
        co_await peer.send(std::string(kStreamHead));
        co_await peer.send(chunk(events));
        co_await peer.read_to_end();
      } else if (asked.line().find("continue=") != std::string::npos) {
        co_await peer.send(page(pod("b", 8), 10));
      } else {
        co_await peer.send(page(pod("a", 7), 10, "next"));
      }
    });
    co_await pods_of.until([&] { return pods_of.informer.status().resource_version == "20"; });
    EXPECT_THAT(pods_of.notes, ElementsAre("+a", "+b", "+c", "a", "-b"));
    EXPECT_TRUE(pods_of.informer.status().listed.has_value());
    EXPECT_TRUE(pods_of.informer.status().watching_since.has_value());
    EXPECT_EQ(pods_of.informer.name(), "pods");
    const auto& asked = pods_of.world.api.asked();
    EXPECT_THAT(asked[0].line(), HasSubstr("limit=500"));
    EXPECT_THAT(asked[2].line(), HasSubstr("resourceVersion=10"));
    EXPECT_THAT(asked[2].line(), HasSubstr("allowWatchBookmarks="));
    EXPECT_EQ(pods_of.world.api.connections(), 1) << "pages and watch share one";
    co_await pods_of.stop();
  });
}

TEST(Informer, AWatchThatTheServerEndsContinuesWithoutAList) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    int watches = 0;
    PodWorld pods_of(io, [&](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      if (!is_watch(asked)) {
        // The list, then the look at the server's version after a watch that ended early.
        const bool is_list = asked.line().find("limit=500") != std::string::npos;
        co_await peer.send(page("", is_list ? 10 : 11));
      } else if (++watches == 1) {
        co_await peer.send(std::string(kStreamHead) + chunk(event("ADDED", pod("a", 11))) +
                           "0\r\n\r\n");
      } else {
        co_await peer.send(std::string(kStreamHead));
        co_await peer.read_to_end();
      }
    });
    co_await pods_of.until([&] { return watches == 2; });
    EXPECT_THAT(pods_of.world.api.asked().back().line(), HasSubstr("resourceVersion=11"));
    EXPECT_EQ(pods_of.informer.status().lists, 1U);
    co_await pods_of.stop();
  });
}

TEST(Informer, AnErrorEvent410ListsAnewWhileTheOldListStays) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    int lists = 0;
    http::Event may_list(io);
    PodWorld pods_of(io, [&](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      if (is_watch(asked) && lists == 1) {
        co_await peer.send(std::string(kStreamHead) +
                           chunk(event("ERROR", status_body(410, "Expired", "too old"))) +
                           "0\r\n\r\n");
      } else if (is_watch(asked)) {
        co_await peer.send(std::string(kStreamHead));
        co_await peer.read_to_end();
      } else if (++lists == 1) {
        co_await peer.send(page(pod("a", 7) + "," + pod("b", 8), 10));
      } else {
        co_await may_list.wait();
        co_await peer.send(page(pod("b", 8), 30));
      }
    });
    co_await pods_of.until([&] { return lists == 2; });
    EXPECT_EQ(pods_of.store.size(), 2U) << "the old list stays in force";
    may_list.set();
    co_await pods_of.until([&] { return pods_of.store.size() == 1; });
    EXPECT_THAT(pods_of.notes, ElementsAre("+a", "+b", "-a"));
    co_await pods_of.stop();
  });
}

TEST(Informer, FailuresAreToldAndTriedAgainUntilTheServerAnswers) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    const std::vector<std::string> failures = {
        whole_answer(500, status_body(500, "InternalError", "etcd is away")),
        whole_answer(200, "garbage"),
        "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{\"items\":[",
    };
    std::size_t asked_count = 0;
    std::vector<std::string> seen;
    PodWorld pods_of(io, [&](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
      if (is_watch(asked)) {
        co_await peer.send(std::string(kStreamHead));
        co_await peer.read_to_end();
      } else if (asked_count < failures.size()) {
        co_await peer.send(failures[asked_count++]);
        peer.close();
      } else {
        co_await peer.send(page(pod("a", 7), 10));
      }
    });
    co_await pods_of.until([&] {
      const std::string now = pods_of.informer.status().failure;
      if (!now.empty() && (seen.empty() || seen.back() != now)) seen.push_back(now);
      return pods_of.informer.status().watching_since.has_value();
    });
    EXPECT_THAT(seen, ElementsAre(HasSubstr("etcd is away"), HasSubstr("JSON"),
                                  HasSubstr("closed the connection")));
    EXPECT_EQ(pods_of.informer.status().failure, "");
    EXPECT_EQ(pods_of.store.size(), 1U);
    co_await pods_of.stop();
  });
}

TEST(Informer, AKindThatIsNotInstalledIsAFailureThatSaysSo) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    PodWorld pods_of(io, [](const Asked&, RawPeer& peer) -> Awaitable<void> {
      co_await peer.send(whole_answer(404, "404 page not found"));
    });
    co_await pods_of.until([&] { return !pods_of.informer.status().failure.empty(); });
    EXPECT_THAT(pods_of.informer.status().failure, HasSubstr("404"));
    EXPECT_TRUE(pods_of.informer.status().failing_since.has_value());
    EXPECT_FALSE(pods_of.informer.status().listed.has_value());
    co_await pods_of.stop();
  });
}

/// Follows a server whose first watch is cut after so many bytes.
Awaitable<void> follow_cut(http::net::io_context& io, std::string stream, std::size_t cut) {
  bool was_cut = false;
  PodWorld pods_of(io, [&](const Asked& asked, RawPeer& peer) -> Awaitable<void> {
    std::string answer = page("", 10);
    if (was_cut) answer = page(pod("a", 11) + "," + pod("b", 12), 12);
    if (!is_watch(asked)) {
      co_await peer.send(answer);
    } else if (!std::exchange(was_cut, true)) {
      answer = stream.substr(0, cut);
      co_await peer.send(answer);
      peer.close();
    } else {
      answer = kStreamHead;
      const bool has_a = asked.line().find("resourceVersion=10") == std::string::npos;
      const bool has_b = asked.line().find("resourceVersion=12") != std::string::npos;
      if (!has_a) answer += chunk(event("ADDED", pod("a", 11)));
      if (!has_b) answer += chunk(event("ADDED", pod("b", 12)));
      co_await peer.send(answer);
      co_await peer.read_to_end();
    }
  });
  co_await pods_of.until([&] { return pods_of.store.size() == 2; });
  EXPECT_THAT(pods_of.notes, ElementsAre("+a", "+b")) << cut;
  co_await pods_of.stop();
}

TEST(Informer, AWatchThatIsCutAtAnyByteLosesNothing) {
  run_task([](http::net::io_context& io) -> Awaitable<void> {
    const std::string stream = std::string(kStreamHead) + chunk(event("ADDED", pod("a", 11))) +
                               chunk(event("ADDED", pod("b", 12)));
    // All cuts at once: each waits for a back-off.
    http::TaskGroup cuts(io);
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
      cuts.spawn("cut", [&io, &stream, cut] { return follow_cut(io, stream, cut); });
    }
    const Result<void> joined = co_await cuts.join(in(50s));
    EXPECT_TRUE(joined.has_value());
  });
}

}  // namespace
}  // namespace bellows::kubernetes
