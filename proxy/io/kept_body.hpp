// What was read of a request's body after its head, while the request may still be sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::proxy {

/// An upstream of HTTP/2 may say at any time before its response that it did nothing of a stream
/// (RFC 9113 8.7), and by then a part of the body was given to it, which its caller does not send
/// again. Owner: the session, for one request after the other. Thread: the io thread.
class KeptBody {
 public:
  /// Of one request. By the time that the upstream has said it, a window (64 KB by default), what
  /// a stream takes beyond it (64 KB) and a block of the relay (64 KB) may have been read.
  static constexpr std::size_t kMost = std::size_t{256} * 1024;
  /// Of all requests of a server.
  static constexpr std::size_t kMostOfAll = std::size_t{16} * 1024 * 1024;

  /// `of_all`: bytes of all requests; outlives the object.
  explicit KeptBody(std::size_t& of_all) : of_all_(of_all) {}
  ~KeptBody() { reset(); }
  KeptBody(const KeptBody&) = delete;
  KeptBody& operator=(const KeptBody&) = delete;

  /// A try begins. `first`: what lies in memory of the body, and stays there. `keeps`: the upstream
  /// may refuse the request after it has got some of it.
  void begin(std::string_view first, bool keeps) {
    if (state_ == State::kUnread) first_ = first;
    keeps_ = keeps;
  }
  /// Bytes were read. Invalidates view().
  void add(std::string_view bytes) {
    if (state_ == State::kGone) return;
    const std::size_t more = bytes.size() + (state_ == State::kUnread ? first_.size() : 0);
    if (!keeps_ || bytes_.size() + more > kMost || of_all_ + more > kMostOfAll) return drop();
    if (state_ == State::kUnread) bytes_ = first_;
    bytes_ += bytes;
    of_all_ += more;
    state_ = State::kWhole;
  }
  /// The request will not be sent again: nothing is kept from now on. Frees the memory too, unless
  /// view() `is_used` still.
  void stop(bool is_used) {
    keeps_ = false;
    if (state_ == State::kWhole && !is_used) drop();
  }
  /// For the next request.
  void reset() {
    drop();
    state_ = State::kUnread;
  }

  /// Something was read after what was in memory.
  bool has_begun() const { return state_ != State::kUnread; }
  /// All of the body so far is in view().
  bool is_whole() const { return state_ == State::kWhole; }
  /// Some of it is nowhere any more.
  bool is_lost() const { return state_ == State::kGone; }
  std::string_view view() const { return bytes_; }

 private:
  enum class State : std::uint8_t {
    kUnread,  ///< -> kWhole, kGone
    kWhole,   ///< -> kGone, kUnread (the next request)
    kGone,    ///< -> kUnread (the next request)
  };

  void drop() {
    of_all_ -= bytes_.size();
    std::string().swap(bytes_);
    state_ = State::kGone;
  }

  std::size_t& of_all_;
  std::string_view first_;
  std::string bytes_;
  State state_ = State::kUnread;
  bool keeps_ = false;
};

}  // namespace bellows::proxy
