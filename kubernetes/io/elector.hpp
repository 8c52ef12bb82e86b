// Takes part in an election: keeps the Lease, and watches its holder.
#pragma once

#include <functional>
#include <string>

#include "base/sys/clock.hpp"
#include "http/io/net.hpp"
#include "http/io/service_server.hpp"
#include "http/io/task_group.hpp"
#include "kubernetes/core/election.hpp"
#include "kubernetes/io/api_client.hpp"

namespace bellows::kubernetes {

/// The WebSocket at which a member is watched by the others. No message is sent on it.
inline constexpr const char* kMemberPath = "/v1/member";

/// Calls from the elector to its owner.
struct ElectorCallbacks {
  std::function<void()> elected;                        ///< once
  std::function<void(const std::string& holder)> lost;  ///< once, after `elected`; it has ended
};

/// Carries out the steps of Election. A member that is not elected keeps a connection to the
/// holder. If it breaks and none can be made within 500 ms, the holder has ended or hangs, and its
/// Lease is taken before it runs out. A holder to which no connection was ever made keeps its
/// Lease, so two members that cannot reach each other do not take it from each other again and
/// again. Owner: the program. Thread: the io thread.
class Elector {
 public:
  /// `clock` and `client` outlive it.
  Elector(http::net::io_context& io, const sys::Clock& clock, ApiClient& client,
          ElectionOptions options, Member self, ElectorCallbacks callbacks);

  /// Adds kMemberPath. Call it before server.listen().
  static void add_route(http::ServiceServer& server);

  void start();
  /// Returns true if this program may write now.
  bool is_holder() const { return !is_given_up_ && election_.is_holder(clock_.now()); }
  /// Returns the holder's name for people: "bellows-autoscaler-7d9f8-x2x4z"; empty: nobody holds
  /// it.
  std::string holder_name() const;

  /// Stops, and gives the Lease up if it is held.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> run();
  http::Awaitable<void> carry_out(ElectionStep step);
  http::Awaitable<void> read();
  http::Awaitable<void> write(ApiVerb verb, Lease lease);
  void not_written(ApiVerb verb, const ApiAnswer& answer, TimePoint now);
  void failed(const Error& error, bool is_outdated);
  http::Awaitable<void> watch_holder();
  http::Awaitable<bool> watch(const Member& holder);
  ApiRequest request(ApiVerb verb) const;
  void wake();

  const sys::Clock& clock_;
  ApiClient& client_;
  const std::string ns_;
  const std::string name_;
  Election election_;
  ElectorCallbacks callbacks_;
  http::AsioTimer wake_;  // cancelled when something is due earlier
  std::string failure_;   // as logged last
  bool was_elected_ = false;
  bool is_stopping_ = false;
  bool is_given_up_ = false;       // from before the Lease is given up
  http::TaskGroup election_task_;  // ends between two calls
  http::TaskGroup watch_;
};

}  // namespace bellows::kubernetes
