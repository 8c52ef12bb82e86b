// Why a message of HTTP/2 is malformed, or rejected as a whole. Pure.
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
  kPseudoOfOtherKind,  ///< of a request in a response, or the other way round
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
  kUnreadInterims,       ///< more interim heads than the reader of the response takes
  kTooLarge,             ///< the fields together, or their number: 431
  kUnsupportedProtocol,  ///< :protocol is not websocket: 501
};
inline constexpr std::size_t kMessageFaults =
    static_cast<std::size_t>(MessageFault::kUnsupportedProtocol) + 1;

/// "a field name has an upper-case letter": what is wrong, for the log.
std::string_view fault_text(MessageFault fault);
/// "RFC 9113 8.2.1": where that is said.
std::string_view fault_section(MessageFault fault);
/// The status of the response; 0: the message is malformed, so its stream is reset with
/// PROTOCOL_ERROR (RFC 9113 8.1.1).
int fault_status(MessageFault fault);

}  // namespace bellows::http2
