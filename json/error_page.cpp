#include "json/error_page.hpp"

#include <string>
#include <utility>

namespace bellows::json {

namespace {

Result<Error> read_error(const Object& object, std::optional<ErrorKind> if_unknown) {
  BELLOWS_TRY(const std::string name, object.text("kind"));
  const auto kind = error_kind(name);
  if (!kind && !if_unknown) return fail(object.invalid("kind", "a kind of docs/errors.md"));
  BELLOWS_TRY(std::string culprit, object.text("culprit"));
  BELLOWS_TRY(std::string message, object.text("message"));
  return Error(kind ? *kind : *if_unknown, std::move(culprit), std::move(message));
}

Result<Error> read_page(std::string_view page) {
  BELLOWS_TRY(const Object root, parse(page));
  BELLOWS_TRY(const Object error, root.object("error"));
  return read_error(error, ErrorKind::kUnavailable);
}

}  // namespace

void write_error(Writer& writer, const Error& error) {
  writer.text("kind", to_string(error.kind()))
      .text("culprit", error.culprit())
      .text("message", error.message());
}

std::string error_page(const Error& error) {
  Writer page;
  page.open("error");
  write_error(page, error);
  return page.close().end_line();
}

Result<Error> read_error(const Object& object) {
  return read_error(object, std::nullopt);
}

std::optional<Error> parse_error_page(std::string_view page) {
  auto error = read_page(page);
  if (!error) return std::nullopt;
  return *std::move(error);
}

}  // namespace bellows::json
