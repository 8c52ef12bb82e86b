#include "autoscaler/history/day_journal.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/history/packed_text.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "base/check.hpp"
#include "json/object.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::history {
namespace {

/// The line of a state ends with the only line break before the rows.
std::string state_line(const DeciderState& state, TimePoint at) {
  json::Writer line;
  journal::write_state(line, "state", state, at);
  return line.end_line();
}

DeciderState state_of(std::string_view line, TimePoint at) {
  const auto document = json::parse(line, "journal");
  CHECK(document.has_value(), "what a journal wrote is an object");
  const auto object = document->object("state");
  CHECK(object.has_value(), "what a journal wrote has a state");
  auto state = journal::read_state(*object, at);
  CHECK(state.has_value(), "what a journal wrote reads back");
  return std::move(*state);
}

}  // namespace

DayJournal::DayJournal(std::string_view name)
    : next_size_(kBlock / 2 +
                 static_cast<std::uint32_t>(std::hash<std::string_view>()(name) % kBlock)) {}

void DayJournal::add(const Decision& decision, const DeciderState& before,
                     const SettingsPtr& settings, Bytes limit) {
  if (blocks_.empty() || blocks_.back().rows >= next_size_) {
    open_block(decision, before);
    drop_old(decision.at, static_cast<std::size_t>(limit.value));
  }
  Block& block = blocks_.back();
  if (block.settings.empty() || block.settings.back().second != settings) {
    block.settings.emplace_back(block.rows, settings);
  }
  rows_.append(decision.at, decision.seen, block.text);
  block.last = decision.at;
  ++block.rows;
}

void DayJournal::open_block(const Decision& first, const DeciderState& before) {
  if (!blocks_.empty()) {
    Block& full = blocks_.back();
    full.raw_size = full.text.size();
    full.text = packed(full.text);
    full.settings.shrink_to_fit();
    next_size_ = kBlock;
  }
  rows_ = RowWriter();
  Block& opened = blocks_.emplace_back();
  opened.first = opened.last = first.at;
  opened.text = state_line(before, first.at);
}

void DayJournal::drop_old(TimePoint now, std::size_t limit) {
  while (blocks_.size() > 1 && (size() > limit || now - blocks_.front().last > kDay)) {
    blocks_.erase(blocks_.begin());
  }
}

std::optional<TimePoint> DayJournal::oldest() const {
  if (blocks_.empty()) return std::nullopt;
  return blocks_.front().first;
}

std::size_t DayJournal::size() const {
  std::size_t size = sizeof *this;
  for (const Block& block : blocks_) {
    size += sizeof block + block.text.capacity() +
            block.settings.capacity() * sizeof(block.settings.front());
  }
  return size;
}

void DayJournal::visit(TimePoint from, TimePoint until, const Visit& visit) const {
  for (const Block& block : blocks_) {
    if (block.last < from) continue;
    if (block.first > until || !visit_block(block, from, until, visit)) return;
  }
}

bool DayJournal::visit_block(const Block& block, TimePoint from, TimePoint until,
                             const Visit& visit) {
  const std::string unpacked_text =
      block.raw_size > 0 ? unpacked(block.text, block.raw_size) : std::string();
  std::string_view text = block.raw_size > 0 ? unpacked_text : block.text;
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(line.size() + 1);
  DeciderState state = state_of(line, block.first);
  RowReader rows(text);
  Observation seen;
  auto settings = block.settings.begin();
  ScalingSpec spec = scaling_spec(*settings->second);
  for (std::uint32_t row = 0; row < block.rows; ++row) {
    const auto following = std::next(settings);
    if (following != block.settings.end() && following->first == row) {
      settings = following;
      spec = scaling_spec(*settings->second);
    }
    const TimePoint at = rows.next(seen);
    if (at > until) return false;
    const Decision decision = decide(spec, seen, state, at);
    if (at >= from && !visit({decision, state, settings->second})) return false;
    remember(state, decision);
  }
  return true;
}

TimePoint DayJournal::start_of_last(std::size_t count, TimePoint until) const {
  // The blocks say roughly where; the rows of the first of them are told too.
  TimePoint start = until;
  std::size_t found = 0;
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && found < count; ++block) {
    if (block->first > until) continue;
    start = block->first;
    if (block->last <= until) found += block->rows;
  }
  return start;
}

}  // namespace bellows::autoscaler::history
