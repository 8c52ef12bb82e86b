// A connection that was switched to another protocol: two byte streams, each of which ends with the
// connection of its sender.
#pragma once

#include <cstdint>

#include "proxy/io/message_sender.hpp"

namespace bellows::proxy {

/// Passes the end of each side on to the other. Owner: a relay. Thread: the io thread. The senders
/// outlive it.
class Tunnel {
 public:
  enum class State : std::uint8_t {
    kClosed,           ///< the protocol was not switched -> kOpen
    kOpen,             ///< -> kDownstreamEnded, kUpstreamEnded
    kDownstreamEnded,  ///< the upstream has been sent the end -> kBothEnded
    kUpstreamEnded,    ///< downstream has been sent the end -> kBothEnded
    kBothEnded,
  };
  /// Whose fault it is that a half-open tunnel ends by its timeout.
  enum class HalfOpenEnd : std::uint8_t {
    kComplete,          ///< nobody's: all that was sent has been received
    kDownstreamUnread,  ///< downstream did not read the rest
    kUpstreamUnread,    ///< the upstream did not read the rest
  };

  Tunnel(MessageSender& to_upstream, MessageSender& to_downstream)
      : to_upstream_(to_upstream), to_downstream_(to_downstream) {}

  /// After a 101. What was read after the request is the first bytes of the tunnel.
  void open();
  /// All that downstream sent has been relayed.
  void end_downstream();
  /// All that the upstream sent has been relayed. True the first time, later calls do nothing.
  bool end_upstream();
  /// Valid after end_upstream(): the upstream has ended, and downstream has or need not.
  bool is_complete() const;
  HalfOpenEnd end_half_open() const;

  State state() const { return state_; }
  bool is_open() const { return state_ != State::kClosed; }
  bool is_half_open() const { return state_ > State::kOpen; }

 private:
  MessageSender& to_upstream_;
  MessageSender& to_downstream_;
  State state_ = State::kClosed;
};

}  // namespace bellows::proxy
