#include "metrics/stream/stat_senders.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/sys/log.hpp"
#include "http/io/address.hpp"
#include "http/io/resolve.hpp"

namespace bellows::metrics {

namespace {

using namespace std::chrono_literals;

constexpr Duration kLookUpTimeout = 3s;
constexpr Duration kLook = 30s;
/// Limits of the doubled delay between two looks while an address is not connected: many senders
/// ask the same name server.
constexpr Duration kMaxDelay = 5s;
constexpr Duration kMaxDelayUnheard = 2s;  // while no autoscaler is connected
constexpr Duration kEndTimeout = 100ms;

void add_to(StatSenderCounters& sum, const StatSenderCounters& more) {
  sum.connects += more.connects;
  sum.failures += more.failures;
  sum.stats_sent += more.stats_sent;
  sum.stats_dropped += more.stats_dropped;
  sum.triggers_sent += more.triggers_sent;
}

}  // namespace

http::Awaitable<Result<std::vector<Endpoint>>> find_autoscalers(Endpoint endpoint) {
  std::vector<Endpoint> found;
  if (!http::literal_addresses(endpoint).empty()) {
    found.push_back(std::move(endpoint));
    co_return found;
  }
  BELLOWS_CO_TRY(const std::vector<http::SocketAddress> addresses,
                 co_await http::resolve(std::move(endpoint), kLookUpTimeout));
  for (const http::SocketAddress& address : addresses) {
    if (address.storage.ss_family != addresses.front().storage.ss_family) continue;
    BELLOWS_CO_TRY(Endpoint one, http::endpoint_of(address));
    if (std::ranges::find(found, one) == found.end()) found.push_back(std::move(one));
  }
  co_return found;
}

StatSendersWorld world_to(StatTarget target, const sys::Clock& clock, Random& random) {
  const auto connect = [target](Endpoint autoscaler) {
    StatTarget one = target;
    one.endpoint = std::move(autoscaler);
    return connect_for_stats(std::move(one));
  };
  return {.find = [endpoint = target.endpoint] { return find_autoscalers(endpoint); },
          .connect = connect,
          .sleep = http::sleep_for,
          .clock = &clock,
          .random = &random};
}

StatSenders::StatSenders(http::net::io_context& io, StatSendersWorld world,
                         StatSenderOptions options, StatSenderCallbacks callbacks)
    : io_(io),
      world_(std::move(world)),
      options_(options),
      callbacks_(std::move(callbacks)),
      kept_(options.replay_window, options.max_kept),
      look_(io.get_executor(), http::AsioTimer::time_point::max()),
      tasks_(io) {
  CHECK(world_.find && world_.connect && world_.sleep && world_.clock != nullptr &&
            world_.random != nullptr,
        "senders have their dependencies");
}

StatSenders::~StatSenders() = default;

void StatSenders::start() {
  tasks_.spawn("autoscalers", [this] { return follow(); });
}

void StatSenders::accept(const Stat& stat) {
  if (peers_.empty()) kept_.add(stat, world_.clock->now());
  for (auto& [address, peer] : peers_) peer.sender->accept(stat);
}

void StatSenders::accept(const ScaleFromZeroTrigger& trigger) {
  for (auto& [address, peer] : peers_) peer.sender->accept(trigger);
}

void StatSenders::keep(Duration window) {
  options_.replay_window = window;
  kept_.keep(window);
  for (auto& [address, peer] : peers_) peer.sender->keep(window);
}

bool StatSenders::connected() const {
  return std::ranges::any_of(peers_,
                             [](const auto& peer) { return peer.second.sender->connected(); });
}

bool StatSenders::all_connected() const {
  return std::ranges::all_of(peers_,
                             [](const auto& peer) { return peer.second.sender->connected(); });
}

StatSenderCounters StatSenders::counters() const {
  StatSenderCounters sum = ended_;
  for (const auto& [address, peer] : peers_) add_to(sum, peer.sender->counters());
  return sum;
}

http::Awaitable<void> StatSenders::follow() {
  Duration delay = options_.first_delay;
  for (;;) {
    const Result<std::vector<Endpoint>> found = co_await world_.find();
    if (found) {
      use(*found);
    } else {
      log_failure(found.error());
    }
    const bool is_settled = found && !found->empty() && all_connected();
    const Duration limit = connected() ? kMaxDelay : kMaxDelayUnheard;
    delay = is_settled ? options_.first_delay : std::min(2 * delay, limit);
    const Duration wait = is_settled ? kLook : jittered(delay, *world_.random);
    look_.expires_after(wait);
    boost::system::error_code ignored;
    co_await look_.async_wait(http::awaiting(ignored));
  }
}

void StatSenders::use(const std::vector<Endpoint>& found) {
  is_failure_logged_ = false;
  for (auto& [address, peer] : peers_) peer.is_found = false;
  for (const Endpoint& endpoint : found) {
    const auto peer = peers_.find(to_string(endpoint));
    if (peer == peers_.end()) {
      add(endpoint);
    } else {
      peer->second.is_found = true;
    }
  }
  for (auto& [address, peer] : peers_) {
    if (peer.is_found || peer.sender->connected() || std::exchange(peer.is_ending, true)) continue;
    tasks_.spawn("end of " + address, [this, gone = address] { return remove(gone); });
  }
}

void StatSenders::add(const Endpoint& endpoint) {
  const std::string address = to_string(endpoint);
  StatSenderWorld world{.connect = [this, endpoint] { return world_.connect(endpoint); },
                        .sleep = world_.sleep,
                        .clock = world_.clock,
                        .random = world_.random};
  StatSenderCallbacks callbacks{.on_change = [this](bool is_connected) { changed(is_connected); },
                                .on_settings = callbacks_.on_settings};
  const SourceHistory& kept = peers_.empty() ? kept_ : peers_.begin()->second.sender->history();
  auto sender =
      std::make_unique<StatSender>(io_, std::move(world), options_, std::move(callbacks), kept);
  sender->start();
  peers_.emplace(address, Peer{.sender = std::move(sender)});
}

http::Awaitable<void> StatSenders::remove(std::string address) {
  const auto peer = peers_.find(address);
  co_await peer->second.sender->stop(world_.clock->now() + kEndTimeout);
  add_to(ended_, peer->second.sender->counters());
  if (peers_.size() == 1) kept_ = peer->second.sender->history();
  peers_.erase(peer);
  look_.cancel();  // it may have been found again meanwhile
}

/// One of them is connected, or lost.
void StatSenders::changed(bool is_connected) {
  if (!is_connected) look_.cancel();  // it may be at another address
  const bool any = connected();
  if (std::exchange(was_connected_, any) != any && callbacks_.on_change) callbacks_.on_change(any);
}

/// Logs one line per outage.
void StatSenders::log_failure(const Error& error) {
  if (connected() || std::exchange(is_failure_logged_, true)) return;
  sys::log::warning("cannot send stats, keeping them to send later", {{"error", to_string(error)}});
}

http::Awaitable<void> StatSenders::stop(TimePoint deadline) {
  tasks_.stop();
  (void)co_await tasks_.join(deadline);
  http::TaskGroup ends(io_);
  for (auto& [address, peer] : peers_) {
    ends.spawn("end of " + address,
               [&sender = *peer.sender, deadline] { return sender.stop(deadline); });
  }
  (void)co_await ends.join(deadline + 2 * kEndTimeout);
}

}  // namespace bellows::metrics
