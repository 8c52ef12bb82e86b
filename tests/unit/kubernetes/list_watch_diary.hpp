// A ListWatch, its store and a server that a test plays by hand.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "kubernetes/core/custom_object.hpp"
#include "kubernetes/core/list_watch.hpp"
#include "kubernetes/core/object_store.hpp"
#include "tests/unit/kubernetes/read_object.hpp"

namespace bellows::kubernetes {

/// Objects are named by a letter, all in the namespace "n": "a@5" is object a in version 5.
class ListWatchDiary : public testing::Test {
 protected:
  using Objects = std::vector<std::string>;

  void start(ListWatchOptions options = {}) {
    options.resource = {"", "v1", "things"};
    list_watch_.emplace(options, store_, random_,
                        [this](const Error& error) { rejected_.push_back(to_string(error)); });
  }

  /// The target of the next request; what it waits for before is added to `waited_`.
  std::string next() {
    waited_ = Duration::zero();
    for (int i = 0; i < 3; ++i) {
      const ListWatchAction action = list_watch_->next(now_);
      if (const auto* request = std::get_if<ListWatchRequest>(&action)) {
        deadline_ = request->deadline;
        is_watch_ = request->is_watch;
        return request->target;
      }
      const TimePoint until = std::get<ListWatchWait>(action).until;
      waited_ += until - now_;
      now_ = until;
    }
    return "it waits without an end";
  }

  static std::string object(const std::string& name) {
    const auto at = name.find('@');
    return json_of("{'metadata':{'namespace':'n','name':'" + name.substr(0, at) + "','uid':'u" +
                   name.substr(0, at) + "','resourceVersion':'" + name.substr(at + 1) + "'}}");
  }

  static std::string list(const std::string& version, const Objects& objects,
                          const std::string& token = {}) {
    std::string items;
    for (const std::string& name : objects) items += (items.empty() ? "" : ",") + object(name);
    return json_of("{'metadata':{'resourceVersion':'" + version + "','continue':'" + token +
                   "'},'items':[") +
           items + "]}";
  }

  static std::string event(const std::string& type, const std::string& name) {
    return json_of("{'type':'" + type + "','object':") + object(name) + "}\n";
  }

  static std::string bookmark(const std::string& version, bool ends_initial_events = false) {
    return json_of(
        "{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'" + version +
        (ends_initial_events ? "','annotations':{'k8s.io/initial-events-end':'true'}" : "'") +
        "}}}\n");
  }

  static std::string status(int code, const std::string& reason) {
    return json_of("{'kind':'Status','reason':'" + reason + "','message':'" + reason +
                   "','code':" + std::to_string(code) + "}");
  }

  /// A whole answer.
  void answer(int http_status, const std::string& body,
              std::optional<Duration> retry_after = std::nullopt) {
    list_watch_->answered(http_status, retry_after, now_);
    const auto fed = list_watch_->body(body, now_);
    if (fed) {
      list_watch_->ended(now_);
    } else {
      list_watch_->failed(fed.error(), now_);
    }
  }

  void open() { list_watch_->answered(200, std::nullopt, now_); }
  Result<void> send(const std::string& body) { return list_watch_->body(body, now_); }
  void end() { list_watch_->ended(now_); }
  /// The server ends the watch when its time is over.
  void end_in_time() {
    now_ = deadline_ - std::chrono::seconds(30);
    end();
  }
  void breaks(ErrorKind kind = ErrorKind::kReset) {
    list_watch_->failed(Error(kind, "server", "gone"), now_);
  }

  /// To a watch over a list at version 10 with these objects.
  void listed(const Objects& objects = {"a@5", "b@6"}) {
    start();
    next();
    answer(200, list("10", objects));
    ASSERT_NE(next().find("resourceVersion=10"), std::string::npos);
  }

  Objects objects() {
    Objects all;
    store_.each([&all](const auto& object) {
      all.push_back(object->meta.name + "@" + object->meta.resource_version);
    });
    return all;
  }

  ListWatchStatus told() { return list_watch_->status(); }

  TimePoint now_{std::chrono::hours(1)};
  SeededRandom random_{7};
  ObjectStore<CustomObject> store_;
  std::optional<ListWatch> list_watch_;
  TimePoint deadline_;
  bool is_watch_ = false;
  Duration waited_{};
  std::vector<std::string> rejected_;
};

}  // namespace bellows::kubernetes
