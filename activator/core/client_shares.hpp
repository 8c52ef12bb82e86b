// Which revision a client stays with, while several of one service get requests
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

/// Where a cookie of Bellows says that a client was served: "web-00002:web-00002-3".
struct ServedBy {
  std::string_view revision;
  std::string_view replica;  ///< empty: it does not say
};

/// The name of the cookie of a service: "bellows-web".
std::string client_cookie_name(const RevisionId& service);
/// nullopt: the request has no such cookie. Views are valid as long as the fields are.
std::optional<ServedBy> served_by(const http::Fields& fields, std::string_view cookie);
/// The line of a response that sets it, for this browser session. `is_https`: the client speaks
/// TLS; its browser does not send the cookie in the clear then (RFC 6265 4.1.2.5).
std::string set_cookie_line(std::string_view cookie, const RevisionId& revision,
                            std::string_view replica, bool is_https);

/// The revisions that have a share, and what tells clients apart.
/// * By cookie a client stays with its revision as long as that has a share: nobody moves before.
/// * By header there is nothing to remember a choice by, so it is weighted rendezvous hashing: each
///   revision scores -weight / ln(hash), the highest wins. A change of weights moves only clients
///   that gain or lose by it. After Schindelhauer and Schomaker (SPAA 2005).
class ClientShares {
 public:
  struct Member {
    std::string revision;
    std::int32_t weight = 0;
  };

  ClientShares() = default;
  ClientShares(const config::CallerSettings& settings, std::string cookie,
               std::vector<Member> members);

  /// The index of the member that the client stays with. nullopt: the shares decide, because
  /// requests are shared out, or the client is new.
  std::optional<std::size_t> choice_of(const http::Fields& fields) const;

 private:
  std::size_t rendezvous(std::string_view client) const;

  std::vector<Member> members_;  // none: requests are shared out
  std::string cookie_;
  std::string header_;  // empty: the cookie
};

}  // namespace bellows::activator
