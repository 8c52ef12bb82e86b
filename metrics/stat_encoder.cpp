#include <algorithm>
#include <cmath>
#include <msgpack.hpp>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "metrics/reading_amounts.hpp"
#include "metrics/stat_codec.hpp"
#include "metrics/stat_fields.hpp"

namespace bellows::metrics {

namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7f';
}

}  // namespace

bool is_name(std::string_view text, std::size_t max_bytes) {
  if (text.empty() || text.size() > max_bytes) return false;
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

bool is_text(std::string_view text) {
  return text.size() <= kMaxTextBytes && std::ranges::none_of(text, is_control);
}

namespace {

/// msgpack's stream concept over a string.
struct StringStream {
  std::string& text;
  void write(const char* data, std::size_t size) { text.append(data, size); }
};

class MessageWriter {
 public:
  MessageWriter(std::string_view type, std::uint32_t fields) : packer_(stream_) {
    text_.reserve(192);
    packer_.pack_map(fields);
    put(Field::kVersion, kWireVersion);
    put(Field::kType, type);
  }

  void put(Field field, std::string_view value) {
    put_text(key_of(field));
    put_text(value);
  }
  void put(Field field, const char* value) = delete;
  void put(Field field, std::uint64_t value) {
    put_text(key_of(field));
    packer_.pack_uint64(value);
  }
  void put_load(Field field, Concurrency value) {
    CHECK(value >= 0 && value <= kMaxConcurrency, "a meter's reading is a load");
    put_text(key_of(field));
    // Whole numbers are integers, as docs/formats/wire.md specifies; msgpack-cxx 4 would do so by
    // itself, 7 does not.
    if (value == std::floor(value)) {
      packer_.pack_uint64(static_cast<std::uint64_t>(value));
    } else {
      packer_.pack_double(value);
    }
  }
  void put_names(const RevisionId& revision, const PodName& pod) {
    CHECK(is_name(revision.text(), kMaxRevisionBytes) && is_name(pod.text(), kMaxPodBytes),
          "names are made of visible ASCII");
    put(Field::kRevision, revision.text());
    put(Field::kPod, pod.text());
  }

  void put(const ReplicaReading& reading);
  void put(Field field, const NamedTexts& texts) {
    put_text(key_of(field));
    packer_.pack_map(static_cast<std::uint32_t>(texts.size()));
    for (const auto& [name, text] : texts) {
      put_text(name);
      put_text(text);
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  void put_text(std::string_view text) {
    packer_.pack_str(static_cast<std::uint32_t>(text.size()));
    packer_.pack_str_body(text.data(), static_cast<std::uint32_t>(text.size()));
  }

  std::string text_;
  StringStream stream_{text_};
  msgpack::packer<StringStream> packer_;
};

void MessageWriter::put(const ReplicaReading& reading) {
  put_text(key_of(Field::kApp));
  packer_.pack_array(kReadingAmounts);
  for (const std::optional<std::uint64_t>& amount : amounts_of(reading)) {
    if (amount) {
      packer_.pack_uint64(*amount);
    } else {
      packer_.pack_nil();
    }
  }
  const std::string_view times = reading.times.bytes();
  put_text(key_of(Field::kTimes));
  packer_.pack_bin(static_cast<std::uint32_t>(times.size()));
  packer_.pack_bin_body(times.data(), static_cast<std::uint32_t>(times.size()));
}

}  // namespace

std::string encode(const Stat& stat) {
  const auto age = std::chrono::round<std::chrono::milliseconds>(stat.age);
  CHECK(age.count() >= 0, "a second is sent after it ended");
  const std::uint32_t optional_fields = (stat.unreachable > 0 ? 1 : 0) + (stat.reading ? 2 : 0) +
                                        (stat.is_occupied ? 1 : 0) + (stat.counter ? 2 : 0);
  MessageWriter writer(kStat,
                       2 + static_cast<std::uint32_t>(kFieldsOfStat.size()) + optional_fields);
  writer.put_names(stat.revision, stat.pod);
  writer.put(Field::kSource, stat.source == StatSource::kReplica ? kReplica : kActivator);
  writer.put(Field::kBoot, stat.boot);
  writer.put(Field::kSequence, stat.sequence);
  writer.put(Field::kAge, static_cast<std::uint64_t>(age.count()));
  writer.put_load(Field::kMean, stat.concurrency);
  writer.put_load(Field::kPeak, stat.peak);
  writer.put(Field::kRequests, stat.requests);
  if (stat.unreachable > 0) writer.put(Field::kUnreachable, stat.unreachable);
  if (stat.reading) writer.put(*stat.reading);
  if (stat.is_occupied) writer.put(Field::kOccupied, std::uint64_t{1});
  if (stat.counter) {
    writer.put_load(Field::kCount, stat.counter->count);
    writer.put_load(Field::kCapacity, stat.counter->capacity);
  }
  return std::move(writer).text();
}

std::string encode(const ScaleFromZeroTrigger& trigger) {
  MessageWriter writer(kTrigger, 2 + static_cast<std::uint32_t>(kFieldsOfTrigger.size()));
  writer.put_names(trigger.revision, trigger.pod);
  writer.put(Field::kBoot, trigger.boot);
  writer.put(Field::kWaiting, trigger.waiting);
  return std::move(writer).text();
}

namespace {

/// Returns what a reader takes of `texts`.
NamedTexts readable(const NamedTexts& texts) {
  NamedTexts kept;
  for (const auto& [name, text] : texts) {
    if (kept.size() == kMaxTexts) break;
    if (!is_name(name, kMaxSettingBytes) || text.size() > kMaxTextBytes) continue;
    kept.emplace_back(name, text);
    std::ranges::replace_if(kept.back().second, is_control, '?');
  }
  return kept;
}

std::string encode_once(const SettingsOrder& order) {
  MessageWriter writer(kOrder, 2 + static_cast<std::uint32_t>(kFieldsOfOrder.size()));
  writer.put_names(order.revision, order.pod);
  writer.put(Field::kGeneration, order.generation);
  writer.put(Field::kSettings, order.settings);
  return std::move(writer).text();
}

std::string encode_once(const SettingsTaken& taken) {
  const std::uint32_t optional_fields =
      (taken.refused.empty() ? 0 : 1) + (taken.own.empty() ? 0 : 1);
  MessageWriter writer(kTaken,
                       2 + static_cast<std::uint32_t>(kFieldsOfTaken.size()) + optional_fields);
  writer.put_names(taken.revision, taken.pod);
  writer.put(Field::kGeneration, taken.generation);
  if (!taken.refused.empty()) writer.put(Field::kRefused, taken.refused);
  if (!taken.own.empty()) writer.put(Field::kOwn, taken.own);
  return std::move(writer).text();
}

}  // namespace

std::string encode(const SettingsOrder& order) {
  SettingsOrder sent = order;
  sent.settings = readable(order.settings);
  std::string bytes = encode_once(sent);
  for (; bytes.size() > kMaxOrderBytes; bytes = encode_once(sent)) sent.settings.pop_back();
  return bytes;
}

std::string encode(const SettingsTaken& taken) {
  SettingsTaken sent = taken;
  sent.refused = readable(taken.refused);
  sent.own = readable(taken.own);
  std::string bytes = encode_once(sent);
  for (; bytes.size() > kMaxMessageBytes; bytes = encode_once(sent)) {
    (sent.own.empty() ? sent.refused : sent.own).pop_back();
  }
  return bytes;
}

}  // namespace bellows::metrics
