// The findings of `bellows check`: items, as lines and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::cli {

struct CheckItem {
  enum class Result : std::uint8_t {
    kOk,
    kFailed,
    kNote,     ///< it works, with a remark
    kUnknown,  ///< it could not be checked; `text` says why
  };
  Result result = Result::kOk;
  std::string name;  ///< "custom resource", "revision shop/web"
  std::string text;  ///< the finding, one line
  std::string hint;  ///< what to do; empty: nothing
  bool operator==(const CheckItem&) const = default;
};

CheckItem passed(std::string name, std::string text);
CheckItem failed(std::string name, std::string text, std::string hint);
CheckItem noted(std::string name, std::string text, std::string hint);
CheckItem unknown(std::string name, std::string text, std::string hint);

/// Returns the hint that a file of deploy/ is missing or stale: the chart of Helm has its objects
/// too.
std::string apply_hint(std::string_view file);

bool has_failed(const std::vector<CheckItem>& items);

/// Returns one line for each item, names in a column; a line with the hint after each that has one.
/// More than three items that differ only in the object share one line.
std::vector<std::string> check_lines(const std::vector<CheckItem>& found, bool with_colour);

/// Returns {"version":1,"result":"ok","items":[{"name":...,"result":...,"text":...,"hint":...}]}
std::string check_json(const std::vector<CheckItem>& items);

}  // namespace bellows::cli
