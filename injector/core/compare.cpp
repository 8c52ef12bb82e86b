#include "injector/core/compare.hpp"

#include <algorithm>

#include "injector/core/names.hpp"
#include "injector/core/record.hpp"

namespace bellows::injector {

namespace {

bool added_the_same(const Node& present, const Node& wanted) {
  const auto before = read_record(present.text);
  const auto now = read_record(wanted.text);
  return before && now && before->version == now->version && before->hash == now->hash &&
         before->container == now->container && before->has_hook == now->has_hook;
}

}  // namespace

bool is_up_to_date(const Node& present, const Node& wanted) {
  if (wanted.is_map()) {
    return std::ranges::all_of(wanted.all_entries(), [&present](const Entry* entry) {
      const Node* const value = present.find(entry->key.text);
      if (value == nullptr) return false;
      const bool is_record = entry->key.is_text(kRecordAnnotation);
      return is_record ? added_the_same(*value, entry->value) : is_up_to_date(*value, entry->value);
    });
  }
  return present.kind == wanted.kind && present.text == wanted.text &&
         std::ranges::equal(present.items, wanted.items, is_up_to_date);
}

}  // namespace bellows::injector
