// The lines of a head, noted as they are written: who gets the head with them need not look for
// them. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::http {

/// Of one head that is written from parts that were checked. Offsets are those in its text.
class WrittenFields {
 public:
  explicit WrittenFields(Fields& fields) : fields_(fields) { fields_.clear(); }

  /// A line from `begin` to `end`, its CRLF included, right after the one before.
  void add(FieldId id, std::size_t begin, std::size_t name_size, std::size_t end);
  /// All lines from `begin` to the end of the text.
  void add_lines(std::string_view text, std::size_t begin);
  /// Where the text lies.
  void lie_at(const char* text) { fields_.move_to(text); }

 private:
  Fields& fields_;
};

}  // namespace bellows::http
