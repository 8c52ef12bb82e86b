// One downstream connection of HTTP/2. Each of its streams is a session of its own, so the same
// code handles, limits, times and logs requests as for HTTP/1.1. Within proxy/io.
#pragma once

#include <memory>
#include <string_view>

#include "http/h2/io/server_connection.hpp"
#include "http/io/task.hpp"
#include "proxy/io/server_state.hpp"

namespace bellows::proxy {

/// Owner: the session that accepted the connection, called its carrier. The carrier represents the
/// connection in the server's lists: it is silent until the first stream, and idle while there is
/// none. Thread: the io thread.
class Http2Downstream final : private SessionListener {
 public:
  /// `already_read` begins with the first byte of the preface.
  Http2Downstream(Session& carrier, std::unique_ptr<http::Connection> transport,
                  std::string_view already_read);
  ~Http2Downstream();
  Http2Downstream(const Http2Downstream&) = delete;
  Http2Downstream& operator=(const Http2Downstream&) = delete;

  /// Runs until the connection and its last session have ended. It waits in the carrier's waiter.
  http::Task<void> run();
  bool has_unsent() const { return connection_.has_unsent(); }

 private:
  void session_ended(Session& session) override;
  void exchange_ended() override;
  void tunnel_opened() override;
  void begin_stream(std::unique_ptr<http::Connection> stream);
  void place_carrier();
  bool is_to_drain() const;
  void drain();
  void cut();

  Session& carrier_;
  ServerState& server_;
  ServerState::Sessions sessions_;
  ServerState::Sessions ended_;  // their tasks are done; destroyed outside of them
  bool has_ended_ = false;
  http2::ServerConnection connection_;
};

}  // namespace bellows::proxy
