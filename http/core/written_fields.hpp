// Records the lines of a head while it is written, so that its receiver need not parse it. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::http {

/// Lines of one head that is written from checked parts. Offsets are relative to its text.
class WrittenFields {
 public:
  explicit WrittenFields(Fields& fields) : fields_(fields) { fields_.clear(); }

  /// Adds the line from `begin` to `end`, its CRLF included, which directly follows the previous
  /// line.
  void add(FieldId id, std::size_t begin, std::size_t name_size, std::size_t end);
  /// Adds all lines from `begin` to the end of the text.
  void add_lines(std::string_view text, std::size_t begin);
  /// Sets the address of the text.
  void lie_at(const char* text) { fields_.move_to(text); }

 private:
  Fields& fields_;
};

}  // namespace bellows::http
