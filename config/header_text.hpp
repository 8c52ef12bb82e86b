// The syntax of HTTP for names and values (RFC 9110), in config, which knows no messages. Pure.
#pragma once

#include <string_view>

namespace bellows::config {

/// Returns true for a byte of a token (5.6.2): of the name of a header field, of a protocol.
bool is_token_byte(char letter);

/// Returns true for a header field's name (5.1), in any case.
bool is_field_name(std::string_view text);
/// Returns true for a header field's value (5.5): no line break, no control character but a tab.
bool is_field_value(std::string_view text);

}  // namespace bellows::config
