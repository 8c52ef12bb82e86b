#include "kubernetes/core/unit_reader.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

namespace {

/// The parser is recursive, so its depth is limited. Kept values end before this limit.
constexpr std::size_t kMaxParsedDepth = kMaxKeptDepth + 28;

boost::json::parse_options parse_options() {
  boost::json::parse_options options;
  options.max_depth = kMaxParsedDepth;
  return options;
}

std::string_view text_at(const boost::json::value& value, const std::string& pointer) {
  boost::system::error_code error;
  const boost::json::value* found = value.find_pointer(pointer, error);
  if (found == nullptr || !found->is_string()) return {};
  return {found->get_string().data(), found->get_string().size()};
}

}  // namespace

UnitReader::UnitReader(FieldSet fields, const Shape& shape, OnObject on_object,
                       OnRejected on_rejected)
    : fields_(std::move(fields)),
      shape_(shape),
      on_object_(std::move(on_object)),
      on_rejected_(std::move(on_rejected)),
      parser_(parse_options(), fields_, shape.elements_of,
              [this](const PruningHandler::Unit& unit) { return take(unit); }) {}

Result<void> UnitReader::feed(std::string_view chunk) {
  while (!problem_ && !chunk.empty()) {
    const std::size_t used = open_brackets_ > 0 ? skip(chunk) : parse(chunk);
    consumed_ += used;
    chunk.remove_prefix(used);
  }
  if (problem_) return fail(*problem_);
  return {};
}

/// Returns how many bytes it used: all, or those up to the end of a document or a deep value.
std::size_t UnitReader::parse(std::string_view text) {
  if (parser_.handler().at_boundary()) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return text.size();
    if (begin > 0) return begin;
    if (text.front() != '{') {
      end(Error(ErrorKind::kMalformed, "JSON",
                "want an object at byte " + std::to_string(consumed_ + 1)));
      return 0;
    }
    parser_.reset();
  }
  boost::system::error_code error;
  const std::size_t used = parser_.write_some(true, text.data(), text.size(), error);
  if (error == boost::json::error::too_deep) {
    open_brackets_ = parser_.handler().leave_dropped();
  } else if (error && !problem_) {
    // The parser's own place depends on how the bytes are cut.
    end(Error(ErrorKind::kMalformed, "JSON",
              error.message() + " after " + std::to_string(taken_) +
                  (taken_ == 1 ? " object" : " objects")));
  }
  return used;
}

/// Follows the brackets and strings of a deep value to its end, where a new parser goes on.
std::size_t UnitReader::skip(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (is_escaped_) {
      is_escaped_ = false;
    } else if (is_in_string_) {
      is_escaped_ = c == '\\';
      is_in_string_ = c != '"';
    } else if (c == '"') {
      is_in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++open_brackets_;
    } else if ((c == '}' || c == ']') && --open_brackets_ == 0) {
      const std::string before = parser_.handler().resume();
      boost::system::error_code error;
      parser_.reset();
      parser_.write_some(true, before.data(), before.size(), error);
      parser_.handler().resumed();
      return at + 1;
    }
  }
  return text.size();
}

/// Returns false if the reader has ended.
bool UnitReader::take(const PruningHandler::Unit& unit) {
  ++taken_;
  const Result<void> used = use(unit);
  if (used) return !problem_;
  if (!unit.is_element && !shape_.elements_of.empty()) {
    problem_ = used.error();  // of the document around the elements
  } else {
    on_rejected_(used.error());
  }
  return !problem_;
}

Result<void> UnitReader::use(const PruningHandler::Unit& unit) {
  const boost::json::object* object = unit.value.if_object();
  if (object == nullptr) return fail(ErrorKind::kMalformed, "JSON", "want an object");
  if (unit.problem.empty()) return on_object_(*object, unit.is_element);
  const std::string metadata = std::string(shape_.object_at) + "/metadata";
  const std::string name = object_key(text_at(unit.value, metadata + "/namespace"),
                                      text_at(unit.value, metadata + "/name"));
  return fail(ErrorKind::kTooLarge, "object " + name, unit.problem);
}

}  // namespace bellows::kubernetes
