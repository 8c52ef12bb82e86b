// One downstream connection of HTTP/2: each of its streams is a session of its own, so a request is
// handled, limited, timed and logged by the same code as one of HTTP/1.1. Within proxy/io.
#pragma once

#include <memory>
#include <string_view>

#include "http/h2/io/server_connection.hpp"
#include "http/io/task.hpp"
#include "proxy/io/server_state.hpp"

namespace bellows::proxy {

/// Owner: the session that accepted the connection, its carrier, which stands for it in the
/// server's lists: it is silent until the first stream, idle while there is none. Thread: the io
/// thread.
class Http2Downstream final : private SessionListener {
 public:
  /// `already_read`: from the first byte of the preface on.
  Http2Downstream(Session& carrier, std::unique_ptr<http::Connection> transport,
                  std::string_view already_read);
  ~Http2Downstream();
  Http2Downstream(const Http2Downstream&) = delete;
  Http2Downstream& operator=(const Http2Downstream&) = delete;

  /// Until the connection and its last session have ended. Waits in the carrier's waiter.
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
