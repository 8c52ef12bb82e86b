// Two ends of a connection in memory, so that a test sees every byte and can let the n-th operation
// fail.
#pragma once

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "http/io/connection.hpp"

namespace bellows::test {

/// Operations of all connections of a test, counted.
struct Faults {
  int operations = 0;
  int fail_at = -1;
  bool next_fails() { return operations++ == fail_at; }
};

class MemoryConnection final : public http::Connection {
 public:
  using Ends = std::pair<std::unique_ptr<MemoryConnection>, std::unique_ptr<MemoryConnection>>;

  /// Each end takes `capacity` bytes that the other has not read.
  static Ends make_pair(Faults& faults, std::size_t capacity = std::size_t{1} << 30U) {
    Ends ends{std::make_unique<MemoryConnection>(faults, capacity),
              std::make_unique<MemoryConnection>(faults, capacity)};
    ends.first->other_ = ends.second.get();
    ends.second->other_ = ends.first.get();
    return ends;
  }
  MemoryConnection(Faults& faults, std::size_t capacity) : faults_(faults), capacity_(capacity) {}
  ~MemoryConnection() override {
    close();
    if (other_ != nullptr) other_->other_ = nullptr;
  }

  using Connection::try_write;

  bool is_open() const override { return is_open_; }

  http::IoResult try_read(char* data, std::size_t size) override {
    if (!readable_) return {};
    if (faults_.next_fails()) return fail();
    if (was_reset_) return http::IoResult::failed(ECONNRESET);
    if (arrived_.empty()) {
      if (peer_has_closed_) return {http::IoResult::Kind::kEnd, 0, 0};
      readable_ = false;
      return {};
    }
    const std::size_t part = std::min(size, arrived_.size());
    arrived_.copy(data, part);
    arrived_.erase(0, part);
    if (other_ != nullptr) other_->wake();
    return {http::IoResult::Kind::kBytes, part, 0};
  }

  http::IoResult try_write(const iovec* parts, std::size_t count) override {
    if (faults_.next_fails()) return fail();
    if (other_ == nullptr || !other_->is_open_ || was_reset_ || is_shut_) {
      return http::IoResult::failed(EPIPE);
    }
    ++writes_;
    std::size_t sent = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t room = capacity_ - std::min(capacity_, other_->arrived_.size());
      const std::size_t part = std::min(room, parts[i].iov_len);
      other_->arrived_.append(static_cast<const char*>(parts[i].iov_base), part);
      sent += part;
    }
    if (sent == 0) return {};
    other_->happen();
    return {http::IoResult::Kind::kBytes, sent, 0};
  }

  bool is_idle() override { return is_open_ && arrived_.empty() && !peer_has_closed_; }

  void shutdown_write() override {
    is_shut_ = true;
    if (other_ == nullptr || other_->peer_has_closed_) return;
    other_->peer_has_closed_ = true;
    other_->happen();
  }
  void close() override {
    waiter_.leave();
    if (!is_open_) return;
    is_open_ = false;
    shutdown_write();
  }
  void abort() override {
    if (other_ != nullptr) other_->was_reset_ = true;
    close();
  }

  int writes() const { return writes_; }
  bool is_empty() const { return arrived_.empty(); }

 private:
  http::IoResult fail() {
    was_reset_ = true;
    peer_has_closed_ = true;
    if (other_ != nullptr) other_->abort_from_here();
    return http::IoResult::failed(ECONNRESET);
  }
  void abort_from_here() {
    was_reset_ = true;
    peer_has_closed_ = true;
    happen();
  }
  void happen() {
    readable_ = true;
    wake();
  }

  Faults& faults_;
  std::size_t capacity_;
  MemoryConnection* other_ = nullptr;
  std::string arrived_;
  int writes_ = 0;
  bool is_open_ = true;
  bool is_shut_ = false;
};

}  // namespace bellows::test
