// The part of a request's body that was read after its head and is kept while the request may be
// sent again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::proxy {

/// Keeps the body for a retry. An upstream of HTTP/2 may report at any time before its response
/// that it did not process a stream (RFC 9113 8.7). By then a part of the body was sent to it,
/// which the caller does not send again. Owner: the session, for one request after the other.
/// Thread: the io thread.
class KeptBody {
 public:
  /// Maximum for one request. When the upstream's report arrives, a window (64 KB by default), the
  /// buffer of a stream beyond it (64 KB) and a block of the relay (64 KB) may have been read.
  static constexpr std::size_t kMost = std::size_t{256} * 1024;
  /// Maximum for all requests of a server.
  static constexpr std::size_t kMostOfAll = std::size_t{16} * 1024 * 1024;

  /// `of_all` counts bytes of all requests; it must outlive the object.
  explicit KeptBody(std::size_t& of_all) : of_all_(of_all) {}
  ~KeptBody() { reset(); }
  KeptBody(const KeptBody&) = delete;
  KeptBody& operator=(const KeptBody&) = delete;

  /// Begins a try. `first` is the part of the body in memory, which stays there. `keeps`: the
  /// upstream may reject the request after it has received some of it.
  void begin(std::string_view first, bool keeps) {
    if (state_ == State::kUnread) first_ = first;
    keeps_ = keeps;
  }
  /// Adds bytes that were read. Invalidates view().
  void add(std::string_view bytes) {
    if (state_ == State::kGone) return;
    const std::size_t more = bytes.size() + (state_ == State::kUnread ? first_.size() : 0);
    if (!keeps_ || bytes_.size() + more > kMost || of_all_ + more > kMostOfAll) return drop();
    if (state_ == State::kUnread) bytes_ = first_;
    bytes_ += bytes;
    of_all_ += more;
    state_ = State::kWhole;
  }
  /// Stops keeping bytes, because the request will not be sent again. Frees the memory too, unless
  /// `is_used`: view() is still in use.
  void stop(bool is_used) {
    keeps_ = false;
    if (state_ == State::kWhole && !is_used) drop();
  }
  /// Resets it for the next request.
  void reset() {
    drop();
    state_ = State::kUnread;
  }

  /// Returns true if bytes were read after those that were in memory.
  bool has_begun() const { return state_ != State::kUnread; }
  /// Returns true if view() has all of the body so far.
  bool is_whole() const { return state_ == State::kWhole; }
  /// Returns true if some of it was dropped.
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
