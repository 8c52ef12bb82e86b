#include "autoscaler/history/row_code.hpp"

#include <bit>
#include <chrono>
#include <concepts>
#include <optional>
#include <utility>

#include "autoscaler/history/observation_grid.hpp"
#include "autoscaler/journal/fields.hpp"
#include "autoscaler/journal/policy_json.hpp"
#include "base/check.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::history {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Bits of the number that says which values of a row differ.
constexpr int kHasExact = 62;
constexpr int kHasPolicy = 61;
static_assert(Row::kMost < kHasPolicy);

void put_number(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t value = 0;
  for (int shift = 0;; shift += 7) {
    CHECK(!text.empty() && shift < 64, "a row is whole");
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
}

/// Small numbers of either sign as small ones without a sign. The difference of any two fits.
std::uint64_t folded(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unfolded(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Milliseconds are even, anything finer is odd.
std::int64_t from_span(Duration span) {
  const std::int64_t count = span.count();
  return count % kMillisecond == 0 ? count / kMillisecond * 2 : count * 2 + 1;
}
Duration to_span(std::int64_t value) {
  return Duration((value & 1) == 0 ? value / 2 * kMillisecond : (value - 1) / 2);
}

/// Visitor of fields.hpp that fills a row.
class Fill {
 public:
  Fill(Row& row, TimePoint at) : row_(row), at_(at) {}

  void operator()(std::string_view /*key*/, double value) {
    const auto place = place_on_grid(value);
    if (!place) row_.exact |= std::uint64_t{1} << place_;
    put(place ? *place : std::bit_cast<std::int64_t>(value));
  }
  void operator()(std::string_view /*key*/, Duration value) { put(from_span(value)); }
  void operator()(std::string_view /*key*/, std::int32_t value) { put(value); }
  void operator()(std::string_view /*key*/, std::uint64_t value) {
    put(static_cast<std::int64_t>(value));
  }
  void operator()(std::string_view /*key*/, bool value) { put(value ? 1 : 0); }
  void operator()(std::string_view /*key*/, Problem value) { put(static_cast<int>(value)); }
  template <class T>
  void operator()(std::string_view key, const std::optional<T>& value) {
    put(value ? 1 : 0);
    const std::size_t place = place_;
    (*this)(key, value.value_or(T{}));
    // It grows with the time while nothing comes, so the difference stays the same.
    if (value && key == "idle-for") row_.values[place] -= from_start(row_.values[place]);
  }
  void operator()(std::string_view key, const WindowLoad& load) {
    (*this)(key, load.total);
    (*this)(key, load.per_pod);
    (*this)(key, load.covered_seconds);
    (*this)(key, load.queued);
  }

 private:
  std::int64_t from_start(std::int64_t value) const {
    const std::int64_t count = at_.time_since_epoch().count();
    return (value & 1) == 0 ? count / kMillisecond * 2 : count * 2;
  }
  void put(std::int64_t value) { row_.values.at(place_++) = value; }

  Row& row_;
  TimePoint at_;
  std::size_t place_ = 0;
};

/// Visitor that reads what Fill wrote.
class Read {
 public:
  Read(const Row& row, TimePoint at) : row_(row), at_(at) {}

  void operator()(std::string_view /*key*/, double& value) {
    const bool is_exact = (row_.exact >> place_ & 1) != 0;
    const std::int64_t taken = take();
    value = is_exact ? std::bit_cast<double>(taken) : number_at(taken);
  }
  void operator()(std::string_view /*key*/, Duration& value) { value = to_span(take()); }
  void operator()(std::string_view /*key*/, std::int32_t& value) {
    value = static_cast<std::int32_t>(take());
  }
  void operator()(std::string_view /*key*/, std::uint64_t& value) {
    value = static_cast<std::uint64_t>(take());
  }
  void operator()(std::string_view /*key*/, bool& value) { value = take() != 0; }
  void operator()(std::string_view /*key*/, Problem& value) {
    value = static_cast<Problem>(take());
  }
  template <class T>
  void operator()(std::string_view key, std::optional<T>& value) {
    const bool has_value = take() != 0;
    T read{};
    (*this)(key, read);
    value = has_value ? std::optional<T>(read) : std::nullopt;
  }
  void operator()(std::string_view /*key*/, std::optional<Duration>& value) {
    value.reset();
    const bool has_value = take() != 0;
    const std::int64_t taken = take();
    if (has_value) value = to_span(taken);
  }
  void read_idle(std::optional<Duration>& value) {
    value.reset();
    const bool has_value = take() != 0;
    const std::int64_t taken = take();
    const std::int64_t count = at_.time_since_epoch().count();
    if (has_value) {
      value = to_span(taken + ((taken & 1) == 0 ? count / kMillisecond * 2 : count * 2));
    }
  }
  void operator()(std::string_view key, WindowLoad& load) {
    (*this)(key, load.total);
    (*this)(key, load.per_pod);
    (*this)(key, load.covered_seconds);
    (*this)(key, load.queued);
  }

 private:
  std::int64_t take() { return row_.values.at(place_++); }

  const Row& row_;
  TimePoint at_;
  std::size_t place_ = 0;
};

Row row_of(TimePoint at, const Observation& seen) {
  Row row;
  Fill fill(row, at);
  fill("stable", seen.stable);
  fill("panic", seen.panic);
  journal::for_each_field(seen, fill);
  if (seen.policy) {
    json::Writer line;
    journal::write_policy_seen(line, *seen.policy.get());
    row.policy = line.end();
  }
  return row;
}

PolicySeenPtr policy_of(const std::string& text) {
  if (text.empty()) return {};
  const auto object = json::parse(text, "journal");
  CHECK(object.has_value(), "what a journal wrote is an object");
  auto seen = journal::read_policy_seen(*object);
  CHECK(seen.has_value(), "what a journal wrote reads back");
  return PolicySeenPtr(std::move(*seen));
}

Observation seen_of(const Row& row, TimePoint at) {
  Observation seen;
  Read read(row, at);
  read("stable", seen.stable);
  read("panic", seen.panic);
  journal::for_each_field(seen, [&]<class Field>(std::string_view key, Field& field) {
    if constexpr (std::same_as<Field, std::optional<Duration>>) {
      if (key == "idle-for") return read.read_idle(field);
    }
    read(key, field);
  });
  seen.policy = policy_of(row.policy);
  return seen;
}

}  // namespace

void RowWriter::append(TimePoint at, const Observation& seen, std::string& out) {
  const std::int64_t step = (at - last_).count();
  put_number(folded(difference(step, step_)), out);
  Row row = row_of(at, seen);
  std::uint64_t changes = 0;
  for (std::size_t i = 0; i < Row::kMost; ++i) {
    if (row.values[i] != before_.values[i]) changes |= std::uint64_t{1} << i;
  }
  if (row.exact != before_.exact) changes |= std::uint64_t{1} << kHasExact;
  if (row.policy != before_.policy) changes |= std::uint64_t{1} << kHasPolicy;
  put_number(changes, out);
  for (std::size_t i = 0; i < Row::kMost; ++i) {
    if ((changes >> i & 1) == 0) continue;
    put_number(folded(difference(row.values[i], before_.values[i])), out);
  }
  if (row.exact != before_.exact) put_number(row.exact, out);
  if (row.policy != before_.policy) {
    put_number(row.policy.size(), out);
    out += row.policy;
  }
  before_ = std::move(row);
  last_ = at;
  step_ = step;
}

TimePoint RowReader::next(Observation& seen) {
  step_ = sum(step_, unfolded(take_number(rest_)));
  last_ += Duration(step_);
  const std::uint64_t changes = take_number(rest_);
  for (std::size_t i = 0; i < Row::kMost; ++i) {
    if ((changes >> i & 1) == 0) continue;
    row_.values[i] = sum(row_.values[i], unfolded(take_number(rest_)));
  }
  if ((changes >> kHasExact & 1) != 0) row_.exact = take_number(rest_);
  if ((changes >> kHasPolicy & 1) != 0) {
    const std::size_t size = take_number(rest_);
    row_.policy = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  seen = seen_of(row_, last_);
  return last_;
}

}  // namespace bellows::autoscaler::history
