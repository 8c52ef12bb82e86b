#include "activator/core/client_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::activator {
namespace {

using config::SessionAffinity;
using config::SplitBy;

std::uint64_t hash_of(std::string_view client, std::string_view revision) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, 64 bits
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  add(client);
  add(std::string_view("\0", 1));
  add(revision);
  // FNV leaves the high bits of short texts similar; the finalizer of SplitMix64 spreads them.
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebULL;
  return hash ^ (hash >> 31);
}

/// Returns a fraction above 0 and below 1.
double fraction_of(std::uint64_t hash) {
  return (static_cast<double>(hash >> 11) + 0.5) / 9007199254740992.0;  // 2^53
}

}  // namespace

std::string client_cookie_name(const RevisionId& service) {
  std::string name = "bellows-" + service.text();
  std::ranges::replace(name, '/', '.');  // no token has a slash
  return name;
}

std::optional<ServedBy> served_by(const http::Fields& fields, std::string_view cookie) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!http::equals_lower(fields.name(i), "cookie")) continue;
    std::string_view rest = fields.value(i);
    while (!rest.empty()) {
      const std::size_t end = rest.find(';');
      const std::string_view pair = http::trim_ows(rest.substr(0, end));
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (!pair.starts_with(cookie) || pair.substr(cookie.size(), 1) != "=") continue;
      const std::string_view value = pair.substr(cookie.size() + 1);
      const std::size_t colon = value.find(':');
      return ServedBy{.revision = value.substr(0, colon),
                      .replica = colon == std::string_view::npos ? std::string_view()
                                                                 : value.substr(colon + 1)};
    }
  }
  return std::nullopt;
}

std::string set_cookie_line(std::string_view cookie, const RevisionId& revision,
                            std::string_view replica, bool is_https) {
  std::string line = "Set-Cookie: " + std::string(cookie) + "=" + revision.text();
  if (!replica.empty()) line += ":" + std::string(replica);
  line += "; Path=/; HttpOnly; SameSite=Lax";
  return line + (is_https ? "; Secure\r\n" : "\r\n");
}

ClientShares::ClientShares(const config::CallerSettings& settings, std::string cookie,
                           std::vector<Member> members)
    : cookie_(std::move(cookie)) {
  const bool is_sticky = settings.session_affinity == SessionAffinity::kCookie;
  if (settings.split_by == SplitBy::kRequest && !is_sticky) return;
  members_ = std::move(members);
  if (!is_sticky) header_ = settings.client_header;
}

std::optional<std::size_t> ClientShares::choice_of(const http::Fields& fields) const {
  if (members_.empty()) return std::nullopt;
  if (!header_.empty()) {
    const auto client = fields.find(header_);
    if (!client || client->empty()) return std::nullopt;
    return rendezvous(*client);
  }
  const auto served = served_by(fields, cookie_);
  if (!served) return std::nullopt;
  const auto member = std::ranges::find(members_, served->revision, &Member::revision);
  if (member == members_.end() || member->weight == 0) return std::nullopt;
  return static_cast<std::size_t>(member - members_.begin());
}

std::size_t ClientShares::rendezvous(std::string_view client) const {
  std::size_t best = 0;
  double best_score = -1;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double hash = fraction_of(hash_of(client, members_[i].revision));
    const double score = -members_[i].weight / std::log(hash);
    if (score <= best_score) continue;
    best = i;
    best_score = score;
  }
  return best;
}

}  // namespace bellows::activator
