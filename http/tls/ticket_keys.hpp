// Rotating keys of session tickets (RFC 5077, RFC 8446 4.6.1). Within http/tls.
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

/// Encrypts tickets with the newest key, and accepts tickets of the last kKept keys, so a ticket
/// lives for two to three rotations. Owners: the certificates of a port, the newest ones and those
/// of connections in their handshake. Thread: any, because several may serve one port.
class TicketKeys {
 public:
  static constexpr std::size_t kKept = 3;
  /// Name, key of AES-256, key of HMAC-SHA-256.
  struct Key {
    ~Key();  ///< erases it from memory
    std::array<unsigned char, 16> name{};
    std::array<unsigned char, 32> encryption{};
    std::array<unsigned char, 32> authentication{};
  };

  /// Makes the first key. Returns kSystem if the system has no randomness.
  static Result<std::shared_ptr<TicketKeys>> make();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  /// Adds a key for tickets from now on and removes the oldest one. After an error the keys stay.
  Result<void> rotate();

  Key newest() const;
  /// Returns nullopt for a key that was removed, or one of another server.
  std::optional<Key> find(std::span<const unsigned char, 16> name) const;

 private:
  TicketKeys() = default;

  mutable std::mutex mutex_;  // guards keys_
  std::deque<Key> keys_;      // newest first
};

/// Makes `context` encrypt and decrypt tickets with the keys of the connection; see
/// ticket_keys_of().
void use_ticket_keys(ssl_ctx_st& context);

}  // namespace bellows::http
