// Label selectors, as objects of the API and as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "kubernetes/core/string_map.hpp"

namespace bellows::kubernetes {

class Fields;

/// metav1.LabelSelector, or the text of `labelSelector` and of /scale's `status.selector`. All
/// requirements must hold.
class Selector {
 public:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  ///< sorted
    bool operator==(const Requirement&) const = default;
  };

  Selector() = default;  ///< matches every object

  /// Makes a selector that requires equality with each member, as that of a Service.
  static Selector of_map(const StringMap& labels);
  /// Parses the text form: "app=web,tier in (a, b),!canary,zone!=x,ready". Returns kMalformed with
  /// the text.
  static Result<Selector> parse(std::string_view text);
  /// Reads the object form: {matchLabels, matchExpressions}. An unknown operator is an error of
  /// `object`.
  static Selector read(const Fields& object);

  bool matches(const StringMap& labels) const;
  /// Returns true if there is no requirement: for a Service that matches no pods, for a
  /// LabelSelector all.
  bool empty() const { return requirements_.empty(); }
  /// Returns the labels for which it requires exactly one value.
  StringMap pairs() const;
  /// Returns the text form, requirements sorted by key.
  std::string text() const;
  const std::vector<Requirement>& requirements() const { return requirements_; }
  bool operator==(const Selector&) const = default;

 private:
  void add(Requirement requirement);

  std::vector<Requirement> requirements_;  // sorted by key
};

}  // namespace bellows::kubernetes
