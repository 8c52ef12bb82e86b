// Trace files as text: four formats, all CSV. docs/simulate.md shows each.
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

/// One file: its name for messages, and what is in it.
struct TraceText {
  std::string_view file;
  std::string_view text;
};

/// By the first line; nothing if it is none of them.
std::optional<TraceFormat> detect_format(std::string_view text);

struct TraceChoice {
  TraceFormat format = TraceFormat::kMinutes;
  /// Azure traces: only the functions whose hash begins so; empty: all of them as one service.
  std::string function{};
  /// Azure 2019: the file of duration percentiles, for one function.
  std::optional<TraceText> durations{};
};

/// Reads a whole trace. kMalformed: "FILE:LINE: COLUMN: "value": want ..."; nothing is guessed or
/// left out. kNotFound: no such function; says which there are. kInvalidSetting: a choice that the
/// format has no part for.
Result<Traffic> read_trace(const TraceText& trace, const TraceChoice& choice);

/// How long a request of so many tokens is at work, where a trace has tokens and no times: 0.2 ms
/// for each token read and 30 ms for each token written, the orders of magnitude of a model of 70
/// billion parameters on a server with eight accelerators. Chosen, not measured.
Duration service_of_tokens(std::int64_t context, std::int64_t generated);

}  // namespace bellows::simulator
