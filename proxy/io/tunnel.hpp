// A connection that was switched to another protocol: two byte streams, each of which ends when its
// sender closes.
#pragma once

#include <cstdint>

#include "proxy/io/message_sender.hpp"

namespace bellows::proxy {

/// Forwards the end of each side to the other. The senders outlive it. Owner: a relay. Thread: the
/// io thread.
class Tunnel {
 public:
  enum class State : std::uint8_t {
    kClosed,           ///< the protocol was not switched -> kOpen
    kOpen,             ///< -> kDownstreamEnded, kUpstreamEnded
    kDownstreamEnded,  ///< the end was sent to the upstream -> kBothEnded
    kUpstreamEnded,    ///< the end was sent downstream -> kBothEnded
    kBothEnded,
  };
  /// Side that is at fault when a half-open tunnel ends by its timeout.
  enum class HalfOpenEnd : std::uint8_t {
    kComplete,          ///< none: all that was sent has been received
    kDownstreamUnread,  ///< downstream did not read the rest
    kUpstreamUnread,    ///< the upstream did not read the rest
  };

  Tunnel(MessageSender& to_upstream, MessageSender& to_downstream)
      : to_upstream_(to_upstream), to_downstream_(to_downstream) {}

  /// Opens it after a 101. The bytes read after the request are the first ones of the tunnel.
  void open();
  /// Ends the downstream direction: all that downstream sent has been relayed.
  void end_downstream();
  /// Ends the upstream direction: all that the upstream sent has been relayed. Returns true the
  /// first time; later calls do nothing.
  bool end_upstream();
  /// Returns true if the upstream has ended, and downstream has or need not. Valid after
  /// end_upstream().
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
