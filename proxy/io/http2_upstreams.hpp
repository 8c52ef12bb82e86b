// Connections of HTTP/2 to upstreams, and streams on them. Within proxy/io.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include "base/endpoint.hpp"
#include "base/time.hpp"
#include "http/h2/io/client_connection.hpp"

namespace bellows::proxy {

/// Opens streams on shared connections. Streams may outlive it. Owner: the upstream pool. Thread:
/// the io thread.
class Http2Upstreams {
 public:
  Http2Upstreams(http::Reactor& reactor, Duration idle_timeout)
      : reactor_(reactor), idle_timeout_(idle_timeout) {}
  ~Http2Upstreams();
  Http2Upstreams(const Http2Upstreams&) = delete;
  Http2Upstreams& operator=(const Http2Upstreams&) = delete;

  /// Opens a stream on the first connection that has room; returns nullptr if there is none.
  std::unique_ptr<http::Connection> open_stream(const Endpoint& endpoint);

  /// Returns false if a connection to the endpoint has shown recently that it does not speak
  /// HTTP/2, as a queue-proxy of an earlier version does not.
  bool is_spoken_by(const Endpoint& endpoint) const;

  /// Takes over a new connection. `open` counts connections, this one included; it is decremented
  /// when the connection ends.
  void add(const Endpoint& endpoint, std::unique_ptr<http::Connection> transport,
           std::size_t* open);

  /// Closes all connections once their streams have ended.
  void drain();
  /// Closes connections without a stream for the idle timeout, and all but one of an endpoint after
  /// a few seconds. Returns when to call it next.
  TimePoint sweep(TimePoint now);
  /// Returns the maximum time until the next sweep() after a connection was added.
  Duration surplus_time() const;
  /// Closes the connection that has been without a stream the longest; returns false if each has
  /// one.
  bool close_oldest_idle();
  /// Returns the number of connections without a stream.
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
  std::unordered_map<Endpoint, TimePoint, EndpointHash> others_;  // and until when that is assumed
};

}  // namespace bellows::proxy
