#include "http/tls/ticket_keys.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "http/tls/openssl_error.hpp"
#include "http/tls/openssl_session.hpp"

namespace bellows::http {

namespace {

bool fill(std::span<unsigned char> bytes) {
  return RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1;
}

/// Prepares the MAC of a ticket: HMAC-SHA-256.
bool begin_mac(EVP_MAC_CTX* mac, const TicketKeys::Key& key) {
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_init(mac, key.authentication.data(), key.authentication.size(), parameters) == 1;
}

/// Prepares the encryption (`is_made` 1) or decryption of a ticket, as a callback of OpenSSL.
/// Returns 0 for a ticket of another server, 2 for one to be replaced, below 0 for an error.
int prepare_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                   EVP_MAC_CTX* mac, int is_made) {
  constexpr int kError = -1;
  constexpr int kNotOurs = 0;
  constexpr int kFine = 1;
  constexpr int kReplace = 2;
  const TicketKeys* const keys = ticket_keys_of(*ssl);
  if (keys == nullptr) return kNotOurs;
  if (is_made == 1) {
    const TicketKeys::Key key = keys->newest();
    const int size = EVP_CIPHER_get_iv_length(EVP_aes_256_cbc());
    if (RAND_bytes(iv, size) != 1) return kError;
    std::memcpy(name, key.name.data(), key.name.size());
    const bool is_ready =
        EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key.encryption.data(), iv) == 1 &&
        begin_mac(mac, key);
    return is_ready ? kFine : kError;
  }
  const auto key = keys->find(std::span<const unsigned char, 16>(name, 16));
  if (!key) return kNotOurs;
  const bool is_ready =
      EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->encryption.data(), iv) == 1 &&
      begin_mac(mac, *key);
  if (!is_ready) return kError;
  return key->name == keys->newest().name ? kFine : kReplace;
}

}  // namespace

Result<std::shared_ptr<TicketKeys>> TicketKeys::make() {
  const std::shared_ptr<TicketKeys> keys(new TicketKeys);
  BELLOWS_CHECKED(keys->rotate());
  return keys;
}

TicketKeys::Key::~Key() {
  OPENSSL_cleanse(this, sizeof *this);
}

Result<void> TicketKeys::rotate() {
  Key key;
  if (!fill(key.name) || !fill(key.encryption) || !fill(key.authentication)) {
    return fail(ErrorKind::kSystem, "keys of TLS tickets", take_openssl_text());
  }
  const std::lock_guard guard(mutex_);
  keys_.push_front(key);
  if (keys_.size() > kKept) keys_.pop_back();
  return {};
}

TicketKeys::Key TicketKeys::newest() const {
  const std::lock_guard guard(mutex_);
  return keys_.front();
}

std::optional<TicketKeys::Key> TicketKeys::find(std::span<const unsigned char, 16> name) const {
  const std::lock_guard guard(mutex_);
  const auto found = std::ranges::find_if(
      keys_, [&](const Key& key) { return std::ranges::equal(key.name, name); });
  if (found == keys_.end()) return std::nullopt;
  return *found;
}

void use_ticket_keys(ssl_ctx_st& context) {
  SSL_CTX_set_tlsext_ticket_key_evp_cb(&context, prepare_ticket);
}

}  // namespace bellows::http
