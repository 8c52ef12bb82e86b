#include "cluster/remote/remote_cluster.hpp"

#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/list_publisher.hpp"
#include "cluster/remote/cluster_server.hpp"
#include "cluster/remote/list_json.hpp"
#include "http/io/client.hpp"
#include "http/io/task_group.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

constexpr Duration kPollWait = 20s;
constexpr Duration kPollTimeout = kPollWait + 5s;
constexpr Duration kOrderTimeout = 5s;
constexpr Duration kMinDelay = 100ms;
constexpr Duration kMaxDelay = 2s;

bool same_text(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view verb_for(RevisionState state) {
  switch (state) {
    case RevisionState::kActive:
      return ClusterServer::kResume;
    case RevisionState::kPaused:
      return ClusterServer::kPause;
    case RevisionState::kRetired:
      break;
  }
  return ClusterServer::kRetire;
}

/// The path of the call.
std::string call_of(const RevisionId& revision, std::string_view verb) {
  return std::string(ClusterServer::kRevisions) + revision.text() + "/" + std::string(verb);
}

std::string header(const http::Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (same_text(key, name)) return value;
  }
  return {};
}

}  // namespace

class RemoteCluster::Impl {
 public:
  Impl(http::net::io_context& io, const sys::Clock& clock, Random& random, Endpoint server)
      : clock_(clock), random_(random), server_(std::move(server)), publisher_(io), tasks_(io) {}

  void start() {
    tasks_.spawn("cluster list", [this] { return follow(); });
  }

  http::Awaitable<void> stop(TimePoint deadline) {
    tasks_.stop();
    if (const auto joined = co_await tasks_.join(deadline); !joined) {
      sys::log::warning("cluster list still running", {{"error", to_string(joined.error())}});
    }
  }

  const RevisionList& revisions() const { return publisher_.list(); }
  bool ready() const { return is_ready_; }
  std::optional<TimePoint> unreachable_since() const { return unreachable_since_; }
  const std::string& activator_secret() const { return activator_secret_; }
  std::unique_ptr<Subscription> subscribe(Cluster::OnChange on_change) {
    return publisher_.subscribe(std::move(on_change));
  }

  /// A failure without a response is kUnavailable, except for a timeout: that order may have been
  /// accepted.
  http::Awaitable<Result<void>> post(std::string target, std::string body) {
    http::FetchOptions options;
    options.timeout = kOrderTimeout;
    Result<http::Response> response =
        co_await http::fetch(server_, "POST", std::move(target), std::move(body), {}, options);
    if (!response) {
      const ErrorKind kind = response.error().kind() == ErrorKind::kTimeout
                                 ? ErrorKind::kTimeout
                                 : ErrorKind::kUnavailable;
      co_return fail(Error(kind, "cluster at " + to_string(server_), "cannot be reached")
                         .caused_by(std::move(response).error()));
    }
    if (response->status == 200) co_return Result<void>();
    co_return fail(parse_error(response->body));
  }

  void report(const RevisionId& revision, const Report& report) {
    const RevisionPtr listed = publisher_.list().find(revision);
    if (listed == nullptr || listed->learned_target == report.learned_target) return;
    tasks_.spawn("report " + revision.text(),
                 [this, path = call_of(revision, ClusterServer::kReport),
                  body = report_json(report)]() { return post_report(path, body); });
  }

 private:
  /// An error is told by the list that is not renewed.
  http::Awaitable<void> post_report(std::string path, std::string body) {
    (void)co_await post(std::move(path), std::move(body));
  }

  http::Awaitable<void> follow() {
    Duration delay = kMinDelay;
    for (;;) {
      const TimePoint polled_at = clock_.now();
      const Result<void> listed = co_await poll_once();
      if (listed) {
        if (std::exchange(unreachable_since_, std::nullopt)) {
          sys::log::info("connected to the cluster again");
        }
        delay = kMinDelay;
        continue;
      }
      if (listed.error().kind() == ErrorKind::kCancelled) co_return;
      if (!unreachable_since_) {
        // A server that hangs did so some time after it got the poll.
        const bool has_hung = listed.error().kind() == ErrorKind::kTimeout;
        unreachable_since_ = has_hung ? polled_at : clock_.now();
        sys::log::warning("lost the cluster", {{"error", to_string(listed.error())}});
      }
      // Jitter from 50 % to 100 % of the delay, so that clients do not reconnect at the same time.
      const double jitter = 0.5 + random_.fraction() / 2;
      if (!co_await http::sleep_for(from_seconds(to_seconds(delay) * jitter))) co_return;
      delay = std::min(2 * delay, kMaxDelay);
    }
  }

  http::Awaitable<Result<void>> poll_once() {
    std::string target(ClusterServer::kList);
    if (is_ready_ && !unreachable_since_) {
      target += "?after=" + std::to_string(server_version_) + "&boot=" + server_boot_ +
                "&wait_ms=" + std::to_string(to_milliseconds(kPollWait));
    }
    http::FetchOptions options;
    options.timeout = kPollTimeout;
    BELLOWS_CO_TRY(const http::Response response,
                   co_await http::fetch(server_, "GET", std::move(target), {}, {}, options));
    if (response.status != 200) {
      co_return fail(ErrorKind::kMalformed, "cluster at " + to_string(server_),
                     "responded " + std::to_string(response.status) + " to a list, want 200");
    }
    std::string boot = header(response, ClusterServer::kBootHeader);
    const RevisionList none;
    const RevisionList& before = boot == server_boot_ ? publisher_.list() : none;
    BELLOWS_CO_TRY(ReceivedList fresh, parse_list(response.body, clock_.now(), before));
    replace(std::move(fresh), std::move(boot));
    co_return Result<void>();
  }

  /// The list counts versions itself: those of the server restart with its process.
  void replace(ReceivedList fresh, std::string boot) {
    const bool is_same = is_ready_ && boot == server_boot_ && fresh.version == server_version_;
    server_version_ = fresh.version;
    server_boot_ = std::move(boot);
    activator_secret_ = std::move(fresh.activator_secret);
    if (is_same) return;
    if (!std::exchange(is_ready_, true)) publisher_.announce();
    publisher_.replace_all(std::move(fresh.revisions));
  }

  const sys::Clock& clock_;
  Random& random_;
  const Endpoint server_;
  ListPublisher publisher_;
  bool is_ready_ = false;
  std::optional<TimePoint> unreachable_since_;
  std::uint64_t server_version_ = 0;
  std::string server_boot_;
  std::string activator_secret_;
  http::TaskGroup tasks_;
};

RemoteCluster::RemoteCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
                             Endpoint server)
    : impl_(std::make_unique<Impl>(io, clock, random, std::move(server))) {}

RemoteCluster::~RemoteCluster() = default;

void RemoteCluster::start() {
  impl_->start();
}

http::Awaitable<void> RemoteCluster::stop(TimePoint deadline) {
  co_await impl_->stop(deadline);
}

const RevisionList& RemoteCluster::revisions() const {
  return impl_->revisions();
}

bool RemoteCluster::ready() const {
  return impl_->ready();
}

std::string RemoteCluster::activator_secret() const {
  return impl_->activator_secret();
}

std::optional<TimePoint> RemoteCluster::unreachable_since() const {
  return impl_->unreachable_since();
}

std::unique_ptr<Subscription> RemoteCluster::subscribe(OnChange on_change) {
  return impl_->subscribe(std::move(on_change));
}

http::Awaitable<Result<void>> RemoteCluster::scale(RevisionId revision, ScaleOrder order) {
  co_return co_await impl_->post(call_of(revision, "scale"), order_json(order));
}

http::Awaitable<Result<void>> RemoteCluster::set_state(RevisionId revision, RevisionState state) {
  co_return co_await impl_->post(call_of(revision, verb_for(state)), "{}");
}

void RemoteCluster::report(RevisionId revision, Report report) {
  impl_->report(revision, report);
}

}  // namespace bellows::cluster
