// Reads trace files: four CSV formats, described in docs/simulate.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "simulator/traffic.hpp"

namespace bellows::simulator {

enum class TraceFormat : std::uint8_t {
  kMinutes,    ///< period,count
  kEvents,     ///< TIMESTAMP,ContextTokens,GeneratedTokens; or timestamps alone
  kAzure2019,  ///< HashOwner,HashApp,HashFunction,Trigger,1,2,...,1440
  kAzure2021,  ///< app,func,end_timestamp,duration
};
std::string_view to_string(TraceFormat format);

/// One file: its name for messages, and its contents.
struct TraceText {
  std::string_view file;
  std::string_view text;
};

/// Detects the format from the first line.
std::optional<TraceFormat> detect_format(std::string_view text);

struct TraceChoice {
  TraceFormat format = TraceFormat::kMinutes;
  /// Azure traces: the prefix of the hashes of the functions to read; empty: all functions as one
  /// service.
  std::string function{};
  /// Azure 2019: the file of duration percentiles, for one function.
  std::optional<TraceText> durations{};
};

/// Reads a whole trace strictly. kMalformed: "FILE:LINE: COLUMN: "value": want ...". kNotFound: no
/// such function; the error lists the functions. kInvalidSetting: the format does not support the
/// choice.
Result<Traffic> read_trace(const TraceText& trace, const TraceChoice& choice);

/// Returns the assumed service time of a request with these tokens, for traces without times: 0.2
/// ms per input token and 30 ms per output token, the order of magnitude of a model with 70 billion
/// parameters on a server with eight accelerators. Chosen, not measured.
Duration service_of_tokens(std::int64_t context, std::int64_t generated);

}  // namespace bellows::simulator
