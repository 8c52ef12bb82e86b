#include "config/static_answers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text_parts.hpp"
#include "config/header_text.hpp"
#include "config/text_formats.hpp"
#include "json/object.hpp"

namespace bellows::config {
namespace {

/// Fields that determine where a response ends, or that Bellows writes.
constexpr std::array<std::string_view, 7> kOwnFields = {
    "connection", "content-length", "date", "keep-alive", "server", "transfer-encoding", "upgrade"};
/// Statuses that refer to a form or a copy that the caller has (RFC 9110 15.3.6, 15.4.5).
constexpr std::array<int, 2> kNotAlone = {205, 304};

Result<void> read_headers(const json::Object& object, StaticAnswer& answer) {
  if (!object.has("headers")) return {};
  BELLOWS_TRY(const json::Object headers, object.object("headers"));
  for (const std::string_view name : headers.keys()) {
    BELLOWS_TRY(const std::string value, headers.setting_text(name));
    const std::string lower = lower_case(name);
    if (!is_field_name(name) || !is_field_value(value)) {
      return fail(headers.invalid(name, "the name and value of a header field"));
    }
    if (std::ranges::find(kOwnFields, lower) != kOwnFields.end()) {
      return fail(headers.invalid(name, "it omitted: Bellows writes it"));
    }
    if (lower == "content-type") {
      answer.content_type = value;
    } else {
      answer.header_lines += std::string(name) + ": " + value + "\r\n";
    }
  }
  return {};
}

Result<StaticAnswer> read_answer(const json::Object& object) {
  for (const std::string_view key : object.keys()) {
    if (key != "path" && key != "status" && key != "body" && key != "headers") {
      return fail(object.invalid(key, "path, status, body or headers"));
    }
  }
  StaticAnswer answer;
  BELLOWS_TRY(answer.path, object.text("path"));
  if (answer.path.empty() || !path_format().read(answer.path)) {
    return fail(object.invalid("path", "a path that starts with /, without query"));
  }
  if (object.has("status")) {
    BELLOWS_TRY(const std::int64_t status, object.integer("status", 200, 599));
    answer.status = static_cast<int>(status);
    if (std::ranges::find(kNotAlone, answer.status) != kNotAlone.end()) {
      return fail(object.invalid("status", "200 to 599, but not 205 or 304"));
    }
  }
  if (object.has("body")) {
    BELLOWS_TRY(answer.body, object.setting_text("body"));
  }
  constexpr int kNoContent = 204;
  if (answer.status == kNoContent && !answer.body.empty()) {
    return fail(object.invalid("body", "it left out: a response with status 204 has none"));
  }
  BELLOWS_CHECKED(read_headers(object, answer));
  return answer;
}

}  // namespace

Result<std::vector<StaticAnswer>> read_static_answers(std::string_view json) {
  std::vector<StaticAnswer> answers;
  if (json.empty()) return answers;
  const std::string whole = "{\"static-answers\":" + std::string(json) + "}";
  const auto read = [&]() -> Result<void> {
    BELLOWS_TRY(const json::Object object, json::parse(whole));
    BELLOWS_TRY(const std::vector<json::Object> list, object.objects("static-answers"));
    for (const json::Object& each : list) {
      BELLOWS_TRY(StaticAnswer answer, read_answer(each));
      if (std::ranges::find(answers, answer.path, &StaticAnswer::path) != answers.end()) {
        return fail(each.invalid("path", "each path once"));
      }
      answers.push_back(std::move(answer));
    }
    return {};
  };
  if (const auto done = read(); !done) {
    return fail(ErrorKind::kInvalidSetting, done.error().culprit(), done.error().message());
  }
  return answers;
}

}  // namespace bellows::config
