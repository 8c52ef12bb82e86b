#include "kubernetes/core/unit_reader.hpp"

#include <string>
#include <utility>

#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/object_meta.hpp"

namespace bellows::kubernetes {

namespace {

boost::json::parse_options parse_options() {
  boost::json::parse_options options;
  options.max_depth = kMaxKeptDepth;
  return options;
}

}  // namespace

UnitReader::UnitReader(FieldSet fields, const JsonPruner::Options& options, OnObject on_object,
                       OnRejected on_rejected)
    : fields_(std::move(fields)),
      has_elements_(!options.elements_of.empty()),
      on_object_(std::move(on_object)),
      on_rejected_(std::move(on_rejected)),
      parser_(boost::json::storage_ptr(), parse_options()),
      pruner_(fields_, options, [this](const JsonPruner::Unit& unit) { take(unit); }) {}

Result<void> UnitReader::feed(std::string_view chunk) {
  if (problem_) return fail(*problem_);
  if (auto fed = pruner_.feed(chunk); !fed && !problem_) problem_ = fed.error();
  if (problem_) return fail(*problem_);
  return {};
}

void UnitReader::take(const JsonPruner::Unit& unit) {
  if (problem_) return;
  const Result<void> used = read(unit);
  if (used) return;
  if (has_elements_ && !unit.is_element) {
    problem_ = used.error();  // of the document around the elements
  } else {
    on_rejected_(used.error());
  }
}

Result<void> UnitReader::read(const JsonPruner::Unit& unit) {
  if (unit.is_too_large) {
    return fail(ErrorKind::kTooLarge, "object " + object_key(unit.ns, unit.name),
                "its fields take more than " + std::to_string(kMaxObjectBytes) + " bytes");
  }
  boost::json::monotonic_resource memory(buffer_.data(), buffer_.size());
  boost::system::error_code error;
  parser_.reset(&memory);
  parser_.write(unit.text.data(), unit.text.size(), error);
  if (error) return fail(ErrorKind::kMalformed, "JSON", error.message());
  const boost::json::value value = parser_.release();
  const boost::json::object* object = value.if_object();
  if (object == nullptr) return fail(ErrorKind::kMalformed, "JSON", "want an object");
  return on_object_(*object, unit.is_element);
}

}  // namespace bellows::kubernetes
