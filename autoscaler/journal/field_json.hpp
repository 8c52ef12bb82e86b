// The fields of fields.hpp as members of a JSON object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autoscaler/journal/fields.hpp"
#include "base/result.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::journal {

/// Visitor that writes. Spans are seconds, instants ages at `at`, those of the calendar seconds
/// since 1970; an optional that holds nothing is left out, and so is an empty list.
class FieldWriter {
 public:
  FieldWriter(json::Writer& line, TimePoint at) : line_(line), at_(at) {}

  void operator()(std::string_view key, std::int32_t value) { line_.integer(key, value); }
  void operator()(std::string_view key, std::uint64_t value);
  void operator()(std::string_view key, double value) { line_.number(key, value); }
  void operator()(std::string_view key, float value) { line_.number(key, value); }
  void operator()(std::string_view key, bool value) { line_.flag(key, value); }
  void operator()(std::string_view key, Duration value);
  void operator()(std::string_view key, TimePoint value);
  void operator()(std::string_view key, WallTime value);
  void operator()(std::string_view key, Serving value);
  void operator()(std::string_view key, Problem value);
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

  Result<void> result() const;

 private:
  void read(std::string_view key, std::int32_t& value);
  void read(std::string_view key, std::uint64_t& value);
  void read(std::string_view key, double& value);
  void read(std::string_view key, float& value);
  void read(std::string_view key, bool& value);
  void read(std::string_view key, Duration& value);
  void read(std::string_view key, TimePoint& value);
  void read(std::string_view key, WallTime& value);
  void read(std::string_view key, Serving& value);
  void read(std::string_view key, Problem& value);
  void read(std::string_view key, std::string& value);
  void read(std::string_view key, PolicySeenPtr& value);

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

  const json::Object& object_;
  TimePoint at_;
  double min_;
  std::optional<Error> error_;
};

}  // namespace bellows::autoscaler::journal
