// resource.Quantity: "100m", "1.5Gi", "1e3", "12E", exactly.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace bellows::kubernetes {

/// An amount as the API stores it: thousand-millionths (nano) in 128 bits, which is exact for every
/// value that the API server itself stores exactly. Finer digits are rounded up, as in the API; a
/// value beyond 2^63-1 units becomes that bound, as in the API too.
class Quantity {
 public:
  Quantity() = default;
  static Quantity from_milli(std::int64_t thousandths);
  static Quantity from_units(std::int64_t units);

  /// Parses a signed decimal number with a suffix: n u m "" k M G T P E, Ki Mi Gi Ti Pi Ei, or an
  /// exponent (e3, E-2). Other texts are kInvalidSetting with the text.
  static Result<Quantity> parse(std::string_view text);

  /// Returns milli-units rounded up, as the API rounds; the nearest bound of int64 if it does not
  /// fit.
  std::int64_t milli() const;
  std::int64_t units() const;

  auto operator<=>(const Quantity& other) const = default;

 private:
  __extension__ using Nano = __int128;
  explicit Quantity(Nano nano) : nano_(nano) {}

  Nano nano_ = 0;
};

}  // namespace bellows::kubernetes
