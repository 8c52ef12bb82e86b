#include "autoscaler/journal/policy_changes.hpp"

#include <utility>

namespace bellows::autoscaler::journal {
namespace {

constexpr char kAppends = '+';

/// Joins two lists: "[1,2]" and "[3]" are "[1,2,3]".
void append_list(std::string& list, std::string_view more) {
  const std::string_view elements = more.substr(1, more.size() - 2);
  if (elements.empty()) return;
  list.pop_back();
  if (list.size() > 1) list += ',';
  list += elements;
  list += ']';
}

}  // namespace

MemoryChange change_of(const PolicyMemories& memories, TimePoint at) {
  MemoryChange all = MemoryChange::kNone;
  for (const PolicyMemories::Slot& slot : memories.slots()) {
    if (!slot.memory) continue;
    const MemoryChange one = slot.memory->change(at);
    if (one == MemoryChange::kUnknown) return one;
    if (one == MemoryChange::kPart) all = one;
  }
  return all;
}

void write_policy_changes(json::Writer& out, const PolicyMemories& memories, TimePoint at) {
  out.open_list("policies");
  for (const PolicyMemories::Slot& slot : memories.slots()) {
    if (!slot.memory || slot.memory->change(at) != MemoryChange::kPart) continue;
    out.open().text("policy", slot.policy).open("memory");
    slot.memory->write_change(out, at);
    out.close().close();
  }
  out.close();
}

Result<GrownMemory> GrownMemory::of(std::string_view memory) {
  BELLOWS_TRY(const json::Object object, json::parse(memory, "memory"));
  GrownMemory grown;
  for (const std::string_view key : object.keys()) {
    BELLOWS_TRY(std::string value, object.raw(key));
    grown.members_.insert_or_assign(std::string(key), std::move(value));
  }
  return grown;
}

Result<void> GrownMemory::check(const json::Object& change) const {
  for (const std::string_view key : change.keys()) {
    if (!key.starts_with(kAppends)) continue;
    BELLOWS_CHECKED(change.list(key));
    const auto whole = members_.find(key.substr(1));
    if (whole != members_.end() && !whole->second.starts_with('[')) {
      return fail(change.invalid(key, "elements of a list"));
    }
  }
  return {};
}

void GrownMemory::take(const json::Object& change) {
  for (const std::string_view key : change.keys()) {
    std::string value = change.raw(key).value();
    if (key.starts_with(kAppends)) {
      append_list(members_.try_emplace(std::string(key.substr(1)), "[]").first->second, value);
    } else {
      members_.insert_or_assign(std::string(key), std::move(value));
    }
  }
}

std::string GrownMemory::text() const {
  json::Writer out;
  for (const auto& [key, value] : members_) out.raw(key, value);
  return out.end();
}

}  // namespace bellows::autoscaler::journal
