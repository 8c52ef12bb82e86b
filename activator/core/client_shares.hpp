// Keeps a client at its revision while several revisions of one service get requests
// (docs/decisions/requests.md). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "config/caller_settings.hpp"
#include "http/core/head.hpp"

namespace bellows::activator {

/// The revision and replica that served the client before, from a cookie of Bellows:
/// "web-00002:web-00002-3".
struct ServedBy {
  std::string_view revision;
  std::string_view replica;  ///< empty: not in the cookie
};

/// Returns the name of the cookie of a service: "bellows-web".
std::string client_cookie_name(const RevisionId& service);
/// Returns nullopt if the request has no such cookie. The views are valid as long as the fields
/// are.
std::optional<ServedBy> served_by(const http::Fields& fields, std::string_view cookie);
/// Returns the response line that sets the cookie for this browser session. With `is_https` the
/// client uses TLS, and its browser then sends the cookie only by TLS (RFC 6265 4.1.2.5).
std::string set_cookie_line(std::string_view cookie, const RevisionId& revision,
                            std::string_view replica, bool is_https);

/// The revisions that have a share, and the key that identifies clients.
/// * By cookie a client stays with its revision as long as that has a share.
/// * By header no choice is stored, so it uses weighted rendezvous hashing: each revision scores
/// -weight / ln(hash), the highest wins. A change of weights moves only clients to or from the
/// revisions that gain or lose by it. After Schindelhauer and Schomaker (SPAA 2005).
class ClientShares {
 public:
  struct Member {
    std::string revision;
    std::int32_t weight = 0;
  };

  ClientShares() = default;
  ClientShares(const config::CallerSettings& settings, std::string cookie,
               std::vector<Member> members);

  /// Returns the index of the member that the client stays with. Returns nullopt if the shares
  /// decide, because there is no key or the client is new.
  std::optional<std::size_t> choice_of(const http::Fields& fields) const;

 private:
  std::size_t rendezvous(std::string_view client) const;

  std::vector<Member> members_;  // empty: each request is assigned by the shares
  std::string cookie_;
  std::string header_;  // empty: the cookie is the key
};

}  // namespace bellows::activator
