// The fields of fields.hpp as members of a JSON object.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/journal/fields.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/seconds.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Visitor that writes. Spans are seconds, instants ages at `at`, those of the calendar seconds
/// since 1970; an optional that holds nothing is left out, and so is an empty list.
class FieldWriter {
 public:
  FieldWriter(json::Writer& line, TimePoint at) : line_(line), at_(at) {}

  void operator()(std::string_view key, std::int32_t value) { line_.integer(key, value); }
  void operator()(std::string_view key, std::uint64_t value) {
    line_.integer(key, static_cast<std::int64_t>(value));
  }
  void operator()(std::string_view key, double value) { line_.number(key, value); }
  void operator()(std::string_view key, float value) { line_.number(key, value); }
  void operator()(std::string_view key, bool value) { line_.flag(key, value); }
  void operator()(std::string_view key, Duration value) {
    line_.number(key, json::seconds_number(value));
  }
  void operator()(std::string_view key, TimePoint value) { (*this)(key, at_ - value); }
  void operator()(std::string_view key, WallTime value) {
    (*this)(key, Duration(value.time_since_epoch()));
  }
  void operator()(std::string_view key, Serving value) { line_.text(key, to_string(value)); }
  void operator()(std::string_view key, Problem value) { line_.text(key, to_string(value)); }
  void operator()(std::string_view key, const std::string& value) { line_.text(key, value); }
  void operator()(std::string_view key, const PolicySeenPtr& value) {
    if (value) (*this)(key, *value.get());
  }

  template <class T>
  void operator()(std::string_view key, const std::optional<T>& value) {
    if (value) (*this)(key, *value);
  }
  template <class T>
  requires requires(const T& value, FieldWriter& writer) { for_each_field(value, writer); }
  void operator()(std::string_view key, const T& value) {
    line_.open(key);
    for_each_field(value, *this);
    line_.close();
  }
  template <class T>
  void operator()(std::string_view key, const std::vector<T>& values) {
    if (values.empty()) return;
    line_.open_list(key);
    for (const T& value : values) {
      line_.open();
      for_each_field(value, *this);
      line_.close();
    }
    line_.close();
  }

 private:
  json::Writer& line_;
  TimePoint at_;
};

/// A visitor that reads the output of FieldWriter. Fields that the object lacks keep their value.
/// It stops at the first error.
class FieldReader {
 public:
  /// Rejects a fraction below `min`, because observed values are not negative; learned ones may be.
  FieldReader(const json::Object& object, TimePoint at, double min = -1e30)
      : object_(object), at_(at), min_(min) {}

  template <class T>
  void operator()(std::string_view key, T& value) {
    if (!error_ && object_.has(key)) read(key, value);
  }

  Result<void> result() const {
    if (error_) return fail(*error_);
    return {};
  }

 private:
  // Far above every count, and far below the greatest double.
  static constexpr double kMaxNumber = 1e30;
  static constexpr std::int64_t kMaxRequests = 1'000'000'000'000;

  void read(std::string_view key, std::int32_t& value) {
    take(object_.integer(key, 0, kMaxReplicas), value);
  }
  void read(std::string_view key, std::uint64_t& value) {
    take(object_.integer(key, 0, kMaxRequests), value);
  }
  void read(std::string_view key, double& value) {
    take(object_.number(key, {min_, kMaxNumber}), value);
  }
  void read(std::string_view key, float& value) {
    take(object_.number(key, {min_, kMaxNumber}), value);
  }
  void read(std::string_view key, bool& value) { take(object_.flag(key), value); }
  void read(std::string_view key, Duration& value) { take(object_.seconds(key), value); }
  void read(std::string_view key, TimePoint& value) {
    double age = 0;
    take(object_.number(key, {-json::kMaxSeconds, json::kMaxSeconds}), age);
    value = at_ - json::exact_seconds(age);
  }
  void read(std::string_view key, WallTime& value) {
    double wall = 0;
    take(object_.number(key, {0, json::kMaxSeconds}), wall);
    value = WallTime(json::exact_seconds(wall));
  }
  void read(std::string_view key, std::string& value) { take(object_.text(key), value); }
  void read(std::string_view key, PolicySeenPtr& value) {
    PolicySeen seen;
    read(key, seen);
    value = PolicySeenPtr(std::move(seen));
  }
  void read(std::string_view key, Serving& value) {
    read_one_of(key, std::array{Serving::kInactive, Serving::kActivating, Serving::kActive}, value);
  }
  void read(std::string_view key, Problem& value) {
    read_one_of(key, std::array{Problem::kNone, Problem::kNoMetrics, Problem::kNoPodCount}, value);
  }

  template <class T>
  void read(std::string_view key, std::optional<T>& value) {
    read(key, value.emplace());
  }
  template <class T>
  requires requires(T& value, FieldReader& reader) { for_each_field(value, reader); }
  void read(std::string_view key, T& value) {
    const Result<json::Object> inner = object_.object(key);
    if (!inner) {
      error_ = inner.error();
      return;
    }
    read_fields(*inner, value);
  }
  template <class T>
  void read(std::string_view key, std::vector<T>& values) {
    const auto list = object_.objects(key);
    if (!list) error_ = list.error();
    for (std::size_t i = 0; !error_ && i < list->size(); ++i) {
      read_fields((*list)[i], values.emplace_back());
    }
  }
  template <class T>
  void read_fields(const json::Object& object, T& value) {
    FieldReader reader(object, at_, min_);
    for_each_field(value, reader);
    error_ = reader.error_;
  }

  template <class From, class To>
  void take(Result<From> from, To& value) {
    if (from) {
      value = static_cast<To>(*std::move(from));
    } else {
      error_ = from.error();
    }
  }
  /// Reads the one of `values` whose name is the text of `key`.
  template <class Enum, std::size_t size>
  void read_one_of(std::string_view key, const std::array<Enum, size>& values, Enum& value) {
    const Result<std::string> name = object_.text(key);
    std::string expected;
    for (const Enum one : values) {
      if (name && *name == to_string(one)) {
        value = one;
        return;
      }
      expected += (expected.empty() ? "" : ", ") + std::string(to_string(one));
    }
    error_ = object_.invalid(key, "one of " + expected);
  }

  const json::Object& object_;
  TimePoint at_;
  double min_;
  std::optional<Error> error_;
};

}  // namespace bellows::autoscaler::journal
