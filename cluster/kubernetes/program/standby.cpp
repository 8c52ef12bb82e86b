#include "cluster/kubernetes/program/standby.hpp"

#include <unistd.h>

#include <boost/asio/ip/host_name.hpp>
#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/entropy.hpp"
#include "http/io/address.hpp"
#include "http/io/resolve.hpp"

namespace bellows::cluster {

namespace {

constexpr Duration kLookUpTimeout = std::chrono::seconds(3);

std::string host_name() {
  boost::system::error_code unknown;
  const std::string name = http::net::ip::host_name(unknown);
  return unknown ? std::to_string(::getpid()) : name;
}

/// Returns where other pods reach a server that listens on `address`: if it listens on all
/// addresses, the first one that the host's name has beyond loopback; without a host: unknown.
http::Awaitable<Endpoint> reached_at(Endpoint address) {
  const bool is_everywhere = address.host == "0.0.0.0" || address.host == "::";
  if (!is_everywhere) co_return address;
  Endpoint own{.host = host_name(), .port = address.port, .unix_path = {}};
  const auto found = co_await http::resolve(std::move(own), kLookUpTimeout);
  if (!found) co_return Endpoint();
  for (const http::SocketAddress& each : *found) {
    const auto endpoint = http::endpoint_of(each);
    if (endpoint && !http::is_loopback(each)) co_return *endpoint;
  }
  co_return Endpoint();
}

}  // namespace

Standby::Standby(http::net::io_context& io, kubernetes::ApiClient& client, std::string lease,
                 kubernetes::ElectorCallbacks callbacks)
    : io_(io), client_(client), lease_(std::move(lease)), callbacks_(std::move(callbacks)) {
  client_.restrict_writes([this] { return may_write(); });
}

Result<void> Standby::may_write() const {
  if (elector_ && elector_->is_holder()) return {};
  const std::string holder = elector_ ? elector_->holder_name() : std::string();
  return fail(ErrorKind::kUnavailable, "lease " + lease_,
              holder.empty() ? "nobody holds it yet" : holder + " holds it, this one stands by");
}

http::Awaitable<void> Standby::start(Endpoint address) {
  address = co_await reached_at(std::move(address));
  kubernetes::Member self{
      .name = host_name(), .address = std::move(address), .start = sys::random_seed()};
  const std::size_t slash = lease_.find('/');
  kubernetes::ElectionOptions options;
  options.ns = lease_.substr(0, slash);
  options.name = lease_.substr(slash + 1);
  elector_.emplace(io_, sys::system_clock(), client_, std::move(options), std::move(self),
                   callbacks_);
  elector_->start();
}

http::Awaitable<void> Standby::stop(TimePoint deadline) {
  if (elector_) co_await elector_->stop(deadline);
}

}  // namespace bellows::cluster
