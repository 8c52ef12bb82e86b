#include "kubernetes/core/election.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.hpp"

namespace bellows::kubernetes {

namespace {

constexpr char kSeparator = '_';  // in no name of a pod
constexpr int kBase = 16;

}  // namespace

std::string to_string(const Member& member) {
  std::array<char, 2 * sizeof(member.start)> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), member.start, kBase).ptr;
  std::string text = member.name + kSeparator;
  if (!member.address.host.empty()) text += to_string(member.address);
  return text + kSeparator + std::string(digits.data(), end);
}

std::optional<Member> read_member(const std::string& holder) {
  const std::size_t first = holder.find(kSeparator);
  const std::size_t last = holder.rfind(kSeparator);
  if (first == std::string::npos || first == last) return std::nullopt;
  Member member{.name = holder.substr(0, first), .address = {}, .start = 0};
  const char* const end = holder.data() + holder.size();
  const auto number = std::from_chars(holder.data() + last + 1, end, member.start, kBase);
  if (number.ec != std::errc() || number.ptr != end) return std::nullopt;
  const std::string address = holder.substr(first + 1, last - first - 1);
  if (address.empty()) return member;
  auto endpoint = parse_endpoint(address);
  if (!endpoint) return std::nullopt;
  member.address = *std::move(endpoint);
  return member;
}

Election::Election(ElectionOptions options, Member self)
    : options_(std::move(options)), self_(std::move(self)), self_text_(to_string(self_)) {
  CHECK(options_.renewal < options_.trust && options_.trust < options_.lifetime,
        "a holder renews before it stops, and stops before another one starts");
}

ElectionStep Election::next(TimePoint now, WallTime wall) const {
  if (now < not_before_) return {.at = not_before_};
  if (!is_read_) return {.kind = ElectionStep::Kind::kRead};
  if (is_own()) {
    const TimePoint due = asked_ + options_.renewal;
    if (now < due) return {.at = due};
    return {.kind = ElectionStep::Kind::kReplace, .lease = wanted(wall)};
  }
  if (may_take(now)) {
    return {.kind = has_lease_ ? ElectionStep::Kind::kReplace : ElectionStep::Kind::kCreate,
            .lease = wanted(wall)};
  }
  const TimePoint due = asked_ + options_.look;
  if (now >= due) return {.kind = ElectionStep::Kind::kRead};
  return {.at = std::min(due, changed_ + options_.lifetime)};
}

/// A holder with this member's own address is an earlier process at it, which has ended.
bool Election::may_take(TimePoint now) const {
  if (!has_lease_ || seen_.holder.empty()) return true;
  if (now >= changed_ + options_.lifetime || seen_.holder == suspect_) return true;
  const auto holder = read_member(seen_.holder);
  return holder && !self_.address.host.empty() && holder->address == self_.address;
}

Lease Election::wanted(WallTime wall) const {
  Lease lease;
  lease.meta.ns = options_.ns;
  lease.meta.name = options_.name;
  if (has_lease_) lease.meta.resource_version = seen_.meta.resource_version;
  lease.holder = self_text_;
  lease.duration_seconds = static_cast<std::int32_t>(to_seconds(options_.lifetime));
  lease.acquired = is_own() && seen_.acquired ? *seen_.acquired : wall;
  lease.renewed = wall;
  lease.transitions = seen_.transitions + (has_lease_ && !is_own() ? 1 : 0);
  return lease;
}

void Election::see(Lease lease, TimePoint now) {
  if (!has_lease_ || !(lease == seen_)) changed_ = now;
  if (lease.holder != suspect_) suspect_.clear();
  is_read_ = true;
  has_lease_ = true;
  seen_ = std::move(lease);
  asked_ = now;
  not_before_ = {};
  is_lost_ = is_lost_ || (renewed_ && !is_own() && !seen_.holder.empty());
}

void Election::read(std::optional<Lease> lease, TimePoint now) {
  if (lease) {
    see(*std::move(lease), now);
    return;
  }
  is_read_ = true;
  has_lease_ = false;
  seen_ = Lease();
  asked_ = now;
  not_before_ = {};
}

void Election::written(Lease lease, TimePoint sent, TimePoint now) {
  see(std::move(lease), now);
  if (is_own()) renewed_ = sent;
}

void Election::failed(bool is_outdated, TimePoint now) {
  if (is_outdated) {
    is_read_ = false;
    return;
  }
  not_before_ = now + options_.again;
}

void Election::forbidden(TimePoint now) {
  if (renewed_ && !is_lost_ && !has_lease_) renewed_ = now;
  not_before_ = now + options_.again;
}

void Election::suspect(const std::string& holder) {
  if (holder.empty() || holder != seen_.holder) return;
  suspect_ = holder;
  is_read_ = false;  // it may have been renewed or released since
  not_before_ = {};
}

std::optional<Lease> Election::release() const {
  if (!is_own()) return std::nullopt;
  Lease lease = seen_;
  lease.holder.clear();
  return lease;
}

bool Election::is_holder(TimePoint now) const {
  if (is_lost_ || !renewed_) return false;
  const bool may_be_others = has_lease_ && !is_own();
  return !may_be_others && now < *renewed_ + options_.trust;
}

}  // namespace bellows::kubernetes
