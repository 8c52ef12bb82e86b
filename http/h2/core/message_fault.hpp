// Reasons why a message of HTTP/2 is malformed or rejected. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bellows::http2 {

enum class MessageFault : std::uint8_t {
  kEmptyName,
  kBadNameByte,
  kUpperCaseName,
  kBadValueByte,
  kBlankAroundValue,
  kConnectionField,
  kBadTe,
  kUnknownPseudo,
  kPseudoAfterField,
  kDuplicatePseudo,
  kPseudoOfOtherKind,  ///< a request's in a response, or the other way round
  kPseudoInTrailers,
  kMissingMethod,
  kMissingScheme,
  kMissingPath,
  kMissingStatus,
  kBadMethod,
  kBadScheme,
  kBadPath,
  kBadAuthority,
  kHostDiffers,
  kDuplicateHost,
  kConnectWithPath,
  kProtocolWithoutConnect,
  kBadStatus,
  kBadContentLength,
  kDuplicateContentLength,
  kLengthDiffers,  ///< content-length is not the sum of the DATA
  kTrailersWithoutEnd,
  kInterimEnds,          ///< an interim response with END_STREAM
  kUnreadInterims,       ///< more interim heads than the reader of the response reads
  kTooLarge,             ///< total size or number of fields: 431
  kUnsupportedProtocol,  ///< :protocol is not websocket: 501
};
inline constexpr std::size_t kMessageFaults =
    static_cast<std::size_t>(MessageFault::kUnsupportedProtocol) + 1;

/// Returns what is wrong, for the log: "a field name has an upper-case letter".
std::string_view fault_text(MessageFault fault);
/// Returns the section of the rule: "RFC 9113 8.2.1".
std::string_view fault_section(MessageFault fault);
/// Returns the status of the response; 0 if the message is malformed, so that its stream is reset
/// with PROTOCOL_ERROR (RFC 9113 8.1.1).
int fault_status(MessageFault fault);

}  // namespace bellows::http2
