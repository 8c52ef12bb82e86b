// Connections of HTTP/2 to upstreams, and streams on them. Within proxy/io.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "http/h2/io/client_connection.hpp"

namespace bellows::proxy {

/// Owner: the upstream pool. Thread: the io thread. Streams may outlive it.
class Http2Upstreams {
 public:
  Http2Upstreams(http::Reactor& reactor, Duration idle_timeout)
      : reactor_(reactor), idle_timeout_(idle_timeout) {}
  ~Http2Upstreams();
  Http2Upstreams(const Http2Upstreams&) = delete;
  Http2Upstreams& operator=(const Http2Upstreams&) = delete;

  /// A stream on the first connection that has room; nullptr: there is none.
  std::unique_ptr<http::Connection> open_stream(const Endpoint& endpoint);

  /// False: a connection to it has shown lately that it does not speak HTTP/2, as a queue-proxy of
  /// an earlier version does not.
  bool is_spoken_by(const Endpoint& endpoint) const;

  /// Takes over a new connection. `open` counts connections, this one included; it is counted out
  /// when it ends.
  void add(const Endpoint& endpoint, std::unique_ptr<http::Connection> transport,
           std::size_t* open);

  /// Closes all of them once their streams have ended.
  void drain();
  /// Closes those without a stream for the idle timeout, and all but one of an endpoint after a few
  /// seconds. Returns when it is due again.
  TimePoint sweep(TimePoint now);
  /// After which it is due at the latest once a connection was added.
  Duration surplus_time() const;
  /// Closes the one that has been without a stream the longest; false: each has one.
  bool close_oldest_idle();
  /// Connections without a stream.
  std::size_t idle() const;
  const http2::AbuseCounters& abuses() const { return abuses_; }

 private:
  struct EndpointHash {
    std::size_t operator()(const Endpoint& endpoint) const noexcept;
  };
  struct Entry {
    explicit Entry(std::size_t* counter) : open(counter) {}
    ~Entry() { --*open; }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    std::size_t* open;
    std::unique_ptr<http2::ClientConnection> connection;
  };
  using Entries = std::list<Entry>;

  void note_change(const Endpoint& endpoint, Entries::iterator entry);

  http::Reactor& reactor_;
  const Duration idle_timeout_;
  http2::Limits limits_;
  http2::AbuseCounters abuses_;
  std::unordered_map<Endpoint, Entries, EndpointHash> by_endpoint_;
  std::unordered_map<Endpoint, TimePoint, EndpointHash> others_;  // and until when that holds
};

}  // namespace bellows::proxy
