// Keys of session tickets (RFC 5077, RFC 8446 4.6.1) that rotate. Within http/tls.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace bellows::http {

/// A ticket is made with the newest key, and taken with one of the last kKept: it lives for two to
/// three rotations. Owners: the certificates of a port, the newest ones and those of connections in
/// their handshake. Thread: any, because several may serve one port.
class TicketKeys {
 public:
  static constexpr std::size_t kKept = 3;
  /// Name, key of AES-256, key of HMAC-SHA-256.
  struct Key {
    ~Key();  ///< leaves none of it in memory
    std::array<unsigned char, 16> name{};
    std::array<unsigned char, 32> encryption{};
    std::array<unsigned char, 32> authentication{};
  };

  /// With a first key. kSystem: the system has no randomness.
  static Result<std::shared_ptr<TicketKeys>> make();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  /// A new key for tickets from now on; the oldest one is forgotten. After an error the keys stay.
  Result<void> rotate();

  Key newest() const;
  /// nullopt: a key that was forgotten, or another server's.
  std::optional<Key> find(std::span<const unsigned char, 16> name) const;

 private:
  TicketKeys() = default;

  mutable std::mutex mutex_;  // guards keys_
  std::deque<Key> keys_;      // newest first
};

/// Has `context` make and take tickets with the keys of the connection, see ticket_keys_of().
void use_ticket_keys(ssl_ctx_st& context);

}  // namespace bellows::http
