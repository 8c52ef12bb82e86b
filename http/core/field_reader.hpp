// Reads single lines of a head. Within http/core; others use HeadParser. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "http/core/head.hpp"

namespace bellows::http {

/// Which field it is, by name in any case.
FieldId field_id(std::string_view name);
/// The name of all fields with that id, in lower case; empty: they have several, or any.
std::string_view known_name(FieldId id);

/// Adds lines to Fields and notes what they mean for framing.
class FieldReader {
 public:
  /// A line without its CRLF, `begin` bytes into the buffer that starts at `base`.
  static std::optional<HeadFault> read(const char* base, std::uint32_t begin, std::uint32_t size,
                                       std::uint32_t max_fields, Fields& fields);
};

/// What a field means for the message; called once for each such line.
std::optional<HeadFault> note_content_length(std::string_view value, Framing& framing);
/// For responses: any number of them, as long as they are equal.
std::optional<HeadFault> note_equal_lengths(std::string_view value, Framing& framing);
std::optional<HeadFault> note_transfer_encoding(std::string_view value, Framing& framing);
void note_connection(std::string_view value, ConnectionOptions& options);

/// kBadHost or kBadPort unless it is uri-host [":" port] (RFC 9110 7.2); empty is allowed.
std::optional<HeadFault> host_fault(std::string_view host);
/// "[::1]:8080" as "[::1]".
std::string_view host_without_port(std::string_view host);

}  // namespace bellows::http
