#include "autoscaler/history/day_journal.hpp"

#include <zlib.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <string_view>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/journal/decision_json.hpp"
#include "autoscaler/journal/spec_json.hpp"
#include "autoscaler/journal/state_json.hpp"
#include "base/base64.hpp"
#include "base/check.hpp"
#include "config/shared_settings.hpp"
#include "json/object.hpp"
#include "json/seconds.hpp"
#include "json/writer.hpp"

namespace bellows::autoscaler::history {
namespace {

/// A new block begins when the newest one, which is not packed, takes one part in kBlocksInLimit of
/// the limit.
constexpr std::size_t kBlocksInLimit = 8;

/// Packs a text at zlib's fast level, because more effort saves three percent for rows whose values
/// all change. It takes about 20 us for each 1,000 bytes.
std::string packed(std::string_view text) {
  uLongf size = compressBound(text.size());
  std::string result(size, '\0');
  const int done =
      compress2(reinterpret_cast<Bytef*>(result.data()), &size,
                reinterpret_cast<const Bytef*>(text.data()), text.size(), Z_BEST_SPEED);
  CHECK(done == Z_OK, "compressBound() is enough room");
  result.resize(size);
  result.shrink_to_fit();
  return result;
}

/// Returns the argument of packed(), which had that size.
std::string unpacked(std::string_view text, std::size_t size) {
  std::string result(size, '\0');
  uLongf length = size;
  const int done = uncompress(reinterpret_cast<Bytef*>(result.data()), &length,
                              reinterpret_cast<const Bytef*>(text.data()), text.size());
  CHECK(done == Z_OK && length == size, "a text that was packed here has the length it had");
  return result;
}

std::string state_line(const DeciderState& state, TimePoint at) {
  json::Writer line;
  journal::write_state(line, "state", state, at);
  return line.end_line();
}

/// `start` is that of its block.
std::string seen_line(const Decision& decision, TimePoint start) {
  json::Writer line;
  line.number("at", json::seconds_number(decision.at - start));
  journal::write_seen(line, decision);
  return line.end_line();
}

template <class T>
T read_back(Result<T> read) {
  CHECK(read.has_value(), "what a journal wrote reads back");
  return std::move(*read);
}

/// Reads the lines of a block in order.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  json::Object next() {
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(line.size() + 1);
    return read_back(json::parse(line, "journal"));
  }

 private:
  std::string_view rest_;
};

DeciderState state_of(const json::Object& line, TimePoint at) {
  return read_back(journal::read_state(read_back(line.object("state")), at));
}

TimePoint instant_of(const json::Object& line, TimePoint start) {
  return start + json::exact_seconds(read_back(line.number("at", {0, json::kMaxSeconds})));
}

Observation seen_of(const json::Object& line, const ScalingSpec& spec, TimePoint at) {
  Observation seen;
  const auto rest = journal::read_seen(line, at, seen);
  const auto averages = journal::read_given_averages(line, spec, seen);
  CHECK(rest && averages, "what a journal wrote reads back");
  return seen;
}

}  // namespace

DayJournal::DayJournal(std::string_view name)
    : next_size_(kBlock / 2 +
                 static_cast<std::uint32_t>(std::hash<std::string_view>()(name) % kBlock)) {}

void DayJournal::add(const Decision& decision, const DeciderState& before,
                     const SettingsPtr& settings, Bytes limit) {
  const auto most = static_cast<std::size_t>(limit.value);
  if (is_full(most)) {
    open_block(decision, before);
    drop_old(decision.at, most);
  }
  Block& block = blocks_.back();
  if (block.settings.empty() || block.settings.back().second != settings) {
    block.settings.emplace_back(block.decisions, settings);
  }
  block.text += seen_line(decision, block.first);
  block.last = decision.at;
  ++block.decisions;
}

bool DayJournal::is_full(std::size_t limit) const {
  return blocks_.empty() || blocks_.back().raw_size > 0 || blocks_.back().decisions >= next_size_ ||
         blocks_.back().text.size() >= limit / kBlocksInLimit;
}

void DayJournal::open_block(const Decision& first, const DeciderState& before) {
  const bool begins = blocks_.empty() || blocks_.back().raw_size > 0;
  if (!begins) {
    Block& full = blocks_.back();
    full.raw_size = full.text.size();
    full.packed = std::make_shared<const std::string>(packed(full.text));
    std::string().swap(full.text);  // its memory too
    full.settings.shrink_to_fit();
    next_size_ = kBlock;
  }
  Block& opened = blocks_.emplace_back();
  opened.first = opened.last = first.at;
  opened.begins = begins;
  opened.text = state_line(before, first.at);
}

void DayJournal::drop_old(TimePoint now, std::size_t limit) {
  while (blocks_.size() > 1 && (size() > limit || now - blocks_.front().last > kDay)) {
    blocks_.erase(blocks_.begin());
  }
}

DayJournal DayJournal::since(TimePoint from) const {
  DayJournal part;
  part.next_size_ = next_size_;
  std::ranges::copy_if(blocks_, std::back_inserter(part.blocks_),
                       [from](const Block& block) { return block.last >= from; });
  return part;
}

void DayJournal::write(std::string& lines) const {
  for (const Block& block : blocks_) {
    const auto nanoseconds = [](TimePoint at) {
      return std::chrono::nanoseconds(at.time_since_epoch()).count();
    };
    const bool is_packed = block.raw_size > 0;
    json::Writer line;
    line.integer("first", nanoseconds(block.first)).integer("last", nanoseconds(block.last));
    line.integer("decisions", block.decisions).flag("begins", block.begins);
    line.integer("size", is_packed ? block.raw_size : block.text.size()).open_list("settings");
    for (const auto& [from, settings] : block.settings) {
      line.open().integer("from", from);
      journal::write_spec(line, *settings, nullptr);
      line.close();
    }
    line.close().text("text", to_base64(is_packed ? *block.packed : packed(block.text)));
    lines += line.end_line();
  }
}

Result<void> DayJournal::read(const json::Object& line, Duration by) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
  Block block;
  BELLOWS_TRY(const std::int64_t first, line.integer("first", -kMost, kMost));
  BELLOWS_TRY(const std::int64_t last, line.integer("last", first, kMost));
  block.first = TimePoint(std::chrono::nanoseconds(first) + by);
  block.last = TimePoint(std::chrono::nanoseconds(last) + by);
  BELLOWS_TRY(const std::int64_t decisions, line.integer("decisions", 1, kMostBytes));
  block.decisions = static_cast<std::uint32_t>(decisions);
  BELLOWS_TRY(block.begins, line.flag("begins"));
  BELLOWS_TRY(const std::int64_t size, line.integer("size", 1, kMostBytes));
  block.raw_size = static_cast<std::size_t>(size);
  BELLOWS_TRY(const std::vector<json::Object> settings, line.objects("settings"));
  for (const json::Object& each : settings) {
    BELLOWS_TRY(const std::int64_t from, each.integer("from", 0, decisions));
    BELLOWS_TRY(const journal::Spec spec, journal::SpecReader("bellows").take(each));
    block.settings.emplace_back(static_cast<std::uint32_t>(from),
                                config::shared_settings(spec.settings));
  }
  BELLOWS_TRY(const std::string text, line.text("text"));
  auto bytes = from_base64(text);
  if (!bytes || settings.empty()) return fail(line.invalid("text", "a block of decisions"));
  block.packed = std::make_shared<const std::string>(*std::move(bytes));
  blocks_.push_back(std::move(block));
  return {};
}

void DayJournal::append(DayJournal later) {
  if (later.blocks_.empty()) return;
  const TimePoint begin = later.blocks_.front().first;
  const auto is_replaced = [&] {
    return blocks_.back().last > begin || blocks_.back().first >= begin;
  };
  while (!blocks_.empty() && is_replaced()) blocks_.pop_back();
  for (Block& block : later.blocks_) blocks_.push_back(std::move(block));
}

std::optional<TimePoint> DayJournal::oldest() const {
  if (blocks_.empty()) return std::nullopt;
  return blocks_.front().first;
}

std::size_t DayJournal::size() const {
  std::size_t size = sizeof *this;
  for (const Block& block : blocks_) {
    size += sizeof block + block.text.capacity() + (block.packed ? block.packed->size() : 0) +
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
      block.raw_size > 0 ? unpacked(*block.packed, block.raw_size) : std::string();
  Lines lines(block.raw_size > 0 ? unpacked_text : block.text);
  DeciderState state = state_of(lines.next(), block.first);
  auto settings = block.settings.begin();
  ScalingSpec spec = scaling_spec(*settings->second);
  for (std::uint32_t number = 0; number < block.decisions; ++number) {
    const auto following = std::next(settings);
    if (following != block.settings.end() && following->first == number) {
      settings = following;
      spec = scaling_spec(*settings->second);
    }
    const json::Object line = lines.next();
    const TimePoint at = instant_of(line, block.first);
    if (at > until) return false;
    const Decision decision = decide(spec, seen_of(line, spec, at), state, at);
    const bool begins = block.begins && number == 0;
    if (at >= from && !visit({decision, state, settings->second, begins})) return false;
    remember(state, decision);
  }
  return true;
}

TimePoint DayJournal::start_of_last(std::size_t count, TimePoint until) const {
  // Blocks are coarse, so the whole of the first one is visited too.
  TimePoint start = until;
  std::size_t found = 0;
  for (auto block = blocks_.rbegin(); block != blocks_.rend() && found < count; ++block) {
    if (block->first > until) continue;
    start = block->first;
    if (block->last <= until) found += block->decisions;
  }
  return start;
}

}  // namespace bellows::autoscaler::history
