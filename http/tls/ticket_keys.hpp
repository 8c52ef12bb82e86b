// Keys of session tickets (RFC 5077, RFC 8446 4.6.1) that rotate. Within http/tls.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>

#include "base/result.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace bellows::http {

/// A ticket is made with the newest key, and taken with one of the last kKept: it lives for two to
/// three rotations. Owners: the certificates of a port, the newest ones and those of connections in
/// their handshake. Thread: the io thread.
class TicketKeys {
 public:
  static constexpr std::size_t kKept = 3;
  /// Name, key of AES-256, key of HMAC-SHA-256.
  struct Key {
    std::array<unsigned char, 16> name{};
    std::array<unsigned char, 32> encryption{};
    std::array<unsigned char, 32> authentication{};
  };

  /// With a first key. kSystem: the system has no randomness.
  static Result<TicketKeys> make();
  ~TicketKeys();
  TicketKeys(TicketKeys&&) = default;
  TicketKeys& operator=(TicketKeys&&) = default;

  /// A new key for tickets from now on; the oldest one is forgotten. After an error the keys stay.
  Result<void> rotate();

  const Key& newest() const { return keys_.front(); }
  /// nullptr: a key that was forgotten, or another server's.
  const Key* find(std::span<const unsigned char, 16> name) const;

 private:
  TicketKeys() = default;

  std::deque<Key> keys_;  // newest first
};

/// Has `context` make and take tickets with the keys of the connection, see ticket_keys_of().
void use_ticket_keys(ssl_ctx_st& context);

}  // namespace bellows::http
