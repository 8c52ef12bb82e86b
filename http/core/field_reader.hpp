// Reads single lines of a head. Within http/core; others use HeadParser. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::http {

/// Returns the id of the field with that name in any case.
FieldId field_id(std::string_view name);
/// Returns the name in lower case if exactly one field has that id, else an empty text.
std::string_view known_name(FieldId id);

/// Adds lines to Fields and records what they mean for framing.
class FieldReader {
 public:
  /// Reads a line without its CRLF, which begins `begin` bytes into the buffer at `base`.
  static std::optional<HeadFault> read(const char* base, std::uint32_t begin, std::uint32_t size,
                                       std::uint32_t max_fields, Fields& fields);
};

/// Records what a field means for the message; called once for each such line.
std::optional<HeadFault> note_content_length(std::string_view value, Framing& framing);
/// Records a Content-Length of a response, which may occur several times with equal values.
std::optional<HeadFault> note_equal_lengths(std::string_view value, Framing& framing);
std::optional<HeadFault> note_transfer_encoding(std::string_view value, Framing& framing);
void note_connection(std::string_view value, ConnectionOptions& options);

/// Returns kBadHost or kBadPort unless `host` is uri-host [":" port] (RFC 9110 7.2); an empty text
/// is allowed.
std::optional<HeadFault> host_fault(std::string_view host);
/// Turns "[::1]:8080" into "[::1]".
std::string_view host_without_port(std::string_view host);

}  // namespace bellows::http
