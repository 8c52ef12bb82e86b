#include "autoscaler/service/checked_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "base/text_parts.hpp"

namespace bellows::autoscaler {
namespace {

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

std::string begin_of(std::string_view title) {
  return "bellows " + std::string(title) + " ";
}

}  // namespace

std::string checked_text(std::string_view title, std::string_view version, std::string_view body) {
  return begin_of(title) + std::string(version) + " " + checksum(body) + "\n" + std::string(body);
}

Result<std::string_view> checked_body(std::string_view text, std::string_view title,
                                      std::string_view version) {
  const std::string begin = begin_of(title);
  if (!text.starts_with(begin)) {
    return fail(ErrorKind::kMalformed, "first line",
                "want \"" + begin + std::string(version) + " CHECKSUM\"");
  }
  std::string_view body = text;
  const std::string_view rest = next_part(body, '\n').substr(begin.size());
  const std::size_t space = std::min(rest.find(' '), rest.size());
  const std::string found(rest.substr(0, space));
  if (found != version) {
    return fail(ErrorKind::kUnsupported, "version", found + ", want " + std::string(version));
  }
  const std::string given(rest.substr(std::min(space + 1, rest.size())));
  const std::string computed = checksum(body);
  if (given == computed) return body;
  return fail(ErrorKind::kMalformed, "checksum",
              given + ", but that of the content is " + computed);
}

}  // namespace bellows::autoscaler
