// Responses while no replica is ready: a page, and answers that need no replica. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "activator/core/revision_view.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/static_answers.hpp"
#include "http/core/head.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::activator {

/// The time that a replica takes to start. Owner: the RevisionHandle.
class LastStart {
 public:
  void note(const ReplicaView& replica);
  /// Returns the time that the process that became ready last took, since the order of the replica
  /// if the start of its process is not known; nullopt: none has become ready yet.
  std::optional<Duration> time() const { return time_; }

 private:
  std::optional<Duration> time_;
  TimePoint ready_ = TimePoint::min();  // its end
};

/// Seconds after which the page reloads.
inline constexpr int kPageReloadSeconds = 2;

/// Returns true for a browser that shows a page: GET, and Accept names text/html.
bool takes_a_page(const http::RequestHead& head);

/// Returns the page of Bellows. `is_failing`: the replicas fail to start. `last_start`:
/// LastStart::time().
std::string built_in_page(const RevisionId& service, bool is_failing,
                          std::optional<Duration> last_start);

/// Returns a 503 with Retry-After that is not cached and reloads itself.
proxy::LocalReply waiting_page_reply(std::string page);

/// Returns nullptr if there is no answer for that path.
const config::StaticAnswer* find_answer(const std::vector<config::StaticAnswer>& answers,
                                        const http::RequestHead& head);
proxy::LocalReply static_reply(const config::StaticAnswer& answer);

}  // namespace bellows::activator
