#include "autoscaler/journal/field_json.hpp"

#include <array>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "json/seconds.hpp"

namespace bellows::autoscaler::journal {
namespace {

constexpr std::array<Serving, 3> kServings = {Serving::kInactive, Serving::kActivating,
                                              Serving::kActive};
constexpr std::array<Problem, 3> kProblems = {Problem::kNone, Problem::kNoMetrics,
                                              Problem::kNoPodCount};

// Far above every count, and far below the greatest double.
constexpr double kMaxNumber = 1e30;
constexpr std::int64_t kMaxRequests = 1'000'000'000'000;

/// Returns the one of `values` whose name is the text of `key`.
template <class Enum, std::size_t size>
Result<Enum> enum_of(const json::Object& object, std::string_view key,
                     const std::array<Enum, size>& values) {
  const Result<std::string> name = object.text(key);
  std::string expected;
  for (const Enum value : values) {
    if (name && *name == to_string(value)) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(to_string(value));
  }
  return fail(object.invalid(key, "one of " + expected));
}

template <class From, class To>
void take(const Result<From>& read, To& value, std::optional<Error>& error) {
  if (read) {
    value = static_cast<To>(*read);
  } else {
    error = read.error();
  }
}

}  // namespace

void FieldWriter::operator()(std::string_view key, std::uint64_t value) {
  line_.integer(key, static_cast<std::int64_t>(value));
}

void FieldWriter::operator()(std::string_view key, Duration value) {
  line_.number(key, json::seconds_number(value));
}

void FieldWriter::operator()(std::string_view key, TimePoint value) {
  (*this)(key, at_ - value);
}

void FieldWriter::operator()(std::string_view key, WallTime value) {
  (*this)(key, Duration(value.time_since_epoch()));
}

void FieldWriter::operator()(std::string_view key, Serving value) {
  line_.text(key, to_string(value));
}

void FieldWriter::operator()(std::string_view key, Problem value) {
  line_.text(key, to_string(value));
}

Result<void> FieldReader::result() const {
  if (error_) return fail(*error_);
  return {};
}

void FieldReader::read(std::string_view key, std::int32_t& value) {
  take(object_.integer(key, 0, kMaxReplicas), value, error_);
}

void FieldReader::read(std::string_view key, std::uint64_t& value) {
  take(object_.integer(key, 0, kMaxRequests), value, error_);
}

void FieldReader::read(std::string_view key, double& value) {
  take(object_.number(key, {min_, kMaxNumber}), value, error_);
}

void FieldReader::read(std::string_view key, float& value) {
  take(object_.number(key, {min_, kMaxNumber}), value, error_);
}

void FieldReader::read(std::string_view key, bool& value) {
  take(object_.flag(key), value, error_);
}

void FieldReader::read(std::string_view key, Duration& value) {
  take(object_.seconds(key), value, error_);
}

void FieldReader::read(std::string_view key, TimePoint& value) {
  const auto age = object_.number(key, {-json::kMaxSeconds, json::kMaxSeconds});
  if (age) {
    value = at_ - json::exact_seconds(*age);
  } else {
    error_ = age.error();
  }
}

void FieldReader::read(std::string_view key, WallTime& value) {
  const auto wall = object_.number(key, {0, json::kMaxSeconds});
  if (wall) {
    value = WallTime(json::exact_seconds(*wall));
  } else {
    error_ = wall.error();
  }
}

void FieldReader::read(std::string_view key, std::string& value) {
  take(object_.text(key), value, error_);
}

void FieldReader::read(std::string_view key, PolicySeenPtr& value) {
  PolicySeen seen;
  read(key, seen);
  value = PolicySeenPtr(std::move(seen));
}

void FieldReader::read(std::string_view key, Serving& value) {
  take(enum_of(object_, key, kServings), value, error_);
}

void FieldReader::read(std::string_view key, Problem& value) {
  take(enum_of(object_, key, kProblems), value, error_);
}

}  // namespace bellows::autoscaler::journal
