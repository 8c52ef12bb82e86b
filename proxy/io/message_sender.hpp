// Sends one message, a head and then a body, to one connection.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "http/io/connection.hpp"
#include "proxy/io/body_pump.hpp"

namespace bellows::proxy {

/// Owner: a relay. Thread: the io thread. The connection outlives it.
class MessageSender {
 public:
  MessageSender(http::Reactor& reactor, http::Connection& to,
                http::SizeBlanks blanks = http::SizeBlanks::kRejected,
                http::HopTrailers hops = http::HopTrailers::kDropped)
      : to_(to), body_(reactor, blanks, hops) {}

  BodyPump& body() { return body_; }
  const BodyPump& body() const { return body_; }

  /// Sends the head together with the part of the body that is in memory, with one system call.
  /// Keeps a copy of the part of the head that the socket does not accept. `parts` are the known
  /// parts of the head, for a stream, or nullptr.
  template <class Head>
  void send_head(std::string_view head, const Head* parts) {
    pending_head_.assign(head.substr(note_written(head, try_write(head, parts))));
  }
  /// Appends the head to those that are still to be sent.
  void append_head(std::string_view head) { pending_head_ += head; }
  /// Sends the pending heads. Returns true if none is left and the connection works.
  bool flush_head();
  bool has_pending_head() const { return !pending_head_.empty(); }
  std::string_view pending_head() const { return pending_head_; }

  /// Transfers as much of the body as is possible without waiting.
  BodyPump::Status step(http::Connection& from) { return body_.step(from, to_); }

  /// Returns true if the whole message has been sent.
  bool is_complete() const { return pending_head_.empty() && body_.is_complete(); }
  /// Returns true if the socket has accepted at least one byte of a head.
  bool has_sent() const { return has_sent_; }

  /// Returns true if the connection cannot be written to any more. It may still be readable.
  bool is_broken() const { return sink_ == Sink::kBroken; }
  void mark_broken() { sink_ = Sink::kBroken; }
  /// Sends the end of the stream (FIN).
  void shutdown() { to_.shutdown_write(); }

 private:
  /// A head and the bytes after it.
  struct Both {
    Both(std::string_view head, std::string_view rest)
        : parts{{const_cast<char*>(head.data()), head.size()},   // NOLINT: only read
                {const_cast<char*>(rest.data()), rest.size()}},  // NOLINT: only read
          count(rest.empty() ? 1 : 2) {}
    iovec parts[2];
    std::size_t count;
  };

  enum class Sink : std::uint8_t {
    kOpen,  ///< -> kBroken
    kBroken,
  };

  template <class Head>
  http::IoResult try_write(std::string_view head, const Head* known) {
    const Both both(head, body_.unsent());
    return known == nullptr ? to_.try_write(both.parts, both.count)
                            : to_.try_write_head(*known, both.parts, both.count);
  }
  /// Returns how many bytes of the head were sent.
  std::size_t note_written(std::string_view head, const http::IoResult& step);

  http::Connection& to_;
  BodyPump body_;
  std::string pending_head_;  // usually empty
  Sink sink_ = Sink::kOpen;
  bool has_sent_ = false;
};

}  // namespace bellows::proxy
