#include "replay/refusal.hpp"

#include <string>
#include <utility>

#include "base/result.hpp"
#include "replay/json_object.hpp"

namespace bellows::replay {

namespace {

ErrorKind kind_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(ErrorKind::kSystem); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    if (name == to_string(kind)) return kind;
  }
  return ErrorKind::kUnavailable;
}

Result<Error> read(std::string_view page) {
  BELLOWS_TRY(const Object object, parse_line(page, 1));
  BELLOWS_TRY(const Object error, object.object("error"));
  BELLOWS_TRY(const std::string kind, error.text("kind"));
  BELLOWS_TRY(std::string culprit, error.text("culprit"));
  BELLOWS_TRY(std::string message, error.text("message"));
  return Error(kind_named(kind), std::move(culprit), std::move(message));
}

}  // namespace

std::optional<Error> read_refusal(std::string_view page) {
  auto error = read(page);
  if (!error) return std::nullopt;
  return *std::move(error);
}

}  // namespace bellows::replay
