#include "http/core/written_fields.hpp"

#include "base/check.hpp"
#include "http/core/field_reader.hpp"

namespace bellows::http {

void WrittenFields::add(FieldId id, std::size_t begin, std::size_t name_size, std::size_t end) {
  fields_.present_ |= Fields::bit(id);
  fields_.add(static_cast<std::uint32_t>(begin), static_cast<std::uint16_t>(name_size), id);
  fields_.end_ = static_cast<std::uint32_t>(end);
}

void WrittenFields::add_lines(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const std::size_t colon = text.find(':', begin);
    const std::size_t end = colon == std::string_view::npos ? colon : text.find('\n', colon);
    CHECK(end != std::string_view::npos, "what is written is whole lines");
    add(field_id(text.substr(begin, colon - begin)), begin, colon - begin, end + 1);
    begin = end + 1;
  }
}

}  // namespace bellows::http
