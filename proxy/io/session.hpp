// One downstream connection: its requests, one after the other. Within proxy/io; handlers see it as
// an Exchange.
#pragma once

#include <optional>
#include <string>

#include "http/io/address.hpp"
#include "proxy/io/input_buffer.hpp"
#include "proxy/io/relay.hpp"
#include "proxy/io/server_state.hpp"

namespace bellows::proxy {

/// Owner: ServerState::open. Thread: the io thread.
class Session final : public Exchange {
 public:
  Session(ServerState& server, http::UniqueFd socket, const http::SocketAddress& peer);
  ~Session() override;

  void start();
  /// Something about the server has changed (draining, cutting): look again.
  void wake() { waiter_.wake(); }

  std::size_t held_bytes() const override { return input_.held_bytes(); }
  http::Task<Result<void>> forward(UpstreamPool& pool, const Endpoint& upstream,
                                   const ForwardOptions& options) override;
  using Exchange::answer;
  http::Task<void> answer(Answer answer) override;
  bool hung_up() const override { return downstream_.peer_left(); }
  bool is_stopping() const override { return server_.is_cutting; }
  http::Waiter& waiter() override { return waiter_; }
  http::Reactor& reactor() override { return server_.reactor; }

  ServerState::Sessions::iterator place;  ///< in the server's list

 private:
  // The end of a session's connection.
  enum class Ending : std::uint8_t {
    kClose,   ///< nothing is on its way
    kLinger,  ///< the last answer must arrive although the caller may still be sending
    kReset,   ///< the last answer must not look complete
  };
  /// What became of waiting for a head.
  enum class HeadStep : std::uint8_t { kComplete, kEnd };

  http::Task<void> run();
  http::Task<HeadStep> read_head();
  bool is_to_close(TimePoint idle_since) const;
  http::Task<void> refuse(Answer refusal);
  http::Task<void> serve();
  void leave_unanswered();
  http::Task<void> write_out();
  http::Task<void> linger();

  void begin_exchange();
  void end_exchange();
  void count_exchange();
  bool may_keep_alive() const;
  bool is_on_unix_socket() const { return peer_ == "unix"; }
  std::string_view client_address() const;

  RelayContext relay_context(http::Connection& connection, const Endpoint& upstream,
                             const ForwardOptions& options);
  UpstreamPool::ConnectionPtr take_kept(UpstreamPool& pool, const Endpoint& upstream) const;
  /// Notes where the next request begins and what becomes of both connections.
  void settle(const Relay& relay);
  http::Task<Result<void>> fail_forward(Relay& relay, Relay::State state, bool was_sent_before);
  http::Task<Result<void>> give_up(Error error);
  http::Task<Result<void>> refuse_forward(Error error);
  TimePoint total_deadline(const ForwardOptions& options) const;
  void note_error(const Error& error);
  void cut(CutBy by);

  ServerState& server_;
  http::Connection downstream_;
  http::Waiter waiter_;
  InputBuffer input_;
  http::HeadParser parser_;
  std::optional<Error> last_error_;     // of a forward() that may be tried elsewhere
  std::size_t consumed_ = 0;            // of input_, by the current request
  std::optional<std::string> surplus_;  // read behind a body that came past input_
  int in_a_row_ = 0;                    // requests since the task last waited for one
  Ending ending_ = Ending::kClose;
  bool is_settled_ = false;  // answered, cut, or the caller is gone
  bool keeps_alive_ = true;
  bool is_in_exchange_ = false;
  bool has_served_ = false;  // at least one request
  http::Task<void> task_;    // last: its frames use all of the above
};

}  // namespace bellows::proxy
