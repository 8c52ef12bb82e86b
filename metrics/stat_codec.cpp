#include "metrics/stat_codec.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <msgpack.hpp>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "metrics/reading_amounts.hpp"
#include "metrics/stat_fields.hpp"

namespace bellows::metrics {
namespace {

constexpr std::uint32_t kMaxEntries = 64;  // entries of a map or array
constexpr int kMaxDepth = 4;               // depth of a skipped value

Error malformed(std::string_view culprit, std::string message) {
  return Error(ErrorKind::kMalformed, std::string(culprit), std::move(message));
}

/// Shortens untrusted text for an error message and removes control characters.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxShown = 40;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMaxShown)) shown += (c >= ' ' && c <= '~') ? c : '?';
  shown += '"';
  if (text.size() > kMaxShown) shown += " (" + std::to_string(text.size()) + " bytes)";
  return shown;
}

/// Receives one message from msgpack's parser, value by value. A callback that returns false stops
/// the parser; error() then has the reason.
class MessageReader : public msgpack::null_visitor {
 public:
  bool visit_nil() { return is_in_app() ? app_entry(std::nullopt) : wrong_type("nil"); }
  bool visit_boolean(bool value) { return wrong_type(value ? "true" : "false"); }
  /// The parser calls this for every signed encoding, whatever the sign.
  bool visit_negative_integer(std::int64_t value) {
    if (value >= 0) return visit_positive_integer(static_cast<std::uint64_t>(value));
    return wrong_type(std::to_string(value));
  }
  bool visit_positive_integer(std::uint64_t value) {
    if (is_in_app()) return app_entry(value);
    return take([&] { return integer(value); });
  }
  bool visit_float32(float value) { return visit_float64(value); }
  bool visit_float64(double value) {
    return take([&] { return fraction(value); });
  }
  bool visit_str(const char* data, std::uint32_t size) {
    const std::string_view value(data, size);
    if (depth_ == 1 && is_key_) return key(value);
    if (is_in_texts()) return text_entry(value);
    return take([&] { return text(value); });
  }
  bool visit_bin(const char* data, std::uint32_t size) {
    if (depth_ != 1 || is_key_ || field_ != Field::kTimes) return wrong_type("binary data");
    auto times = ServiceTimes::parse({data, size});
    if (times) reading_.times = *times;
    if (!times) error_ = std::move(times).error();
    return times.has_value();
  }
  bool visit_ext(const char*, std::uint32_t) { return wrong_type("an extension"); }

  bool start_array(std::uint32_t size) {
    if (depth_ != 1 || is_key_ || field_ != Field::kApp) return open("an array", size);
    if (size < kReadingAmounts || size > kMaxEntries) {
      return wrong_type("an array of " + std::to_string(size));
    }
    app_at_ = 0;
    ++depth_;
    return true;
  }
  bool end_array() { return close(); }
  bool start_map(std::uint32_t size) {
    if (depth_ == 1 && texts_at() != nullptr) return open_texts(size);
    if (depth_ != 0) return open("a map", size);
    ++depth_;
    return size <= kMaxEntries ||
           reject("message", "a map of " + std::to_string(size) + " fields; at most 64 are read");
  }
  bool end_map() { return close(); }
  bool start_map_key() {
    if (depth_ == 1 || is_in_texts()) is_key_ = true;
    return true;
  }
  bool end_map_key() {
    is_key_ = false;
    return true;
  }

  void parse_error(std::size_t, std::size_t at) {
    reject("message", "byte " + std::to_string(at) + " starts no msgpack value");
  }
  void insufficient_bytes(std::size_t, std::size_t at) {
    reject("message", "ends after byte " + std::to_string(at) + ", in the middle of a value");
  }

  std::optional<Error>& error() { return error_; }
  Result<Message> message() &&;

 private:
  // Each of these returns false after reject().
  bool key(std::string_view name);
  bool integer(std::uint64_t value);
  bool fraction(double value);
  bool text(std::string_view value);
  bool name(std::string_view value, std::string& into_text);
  bool open(std::string_view what, std::uint32_t size);
  bool wrong_type(std::string_view what);
  bool up_to(std::uint64_t value, std::uint64_t max, std::uint64_t& into);
  std::optional<Field> missing() const;

  bool app_entry(std::optional<std::uint64_t> value);
  bool open_texts(std::uint32_t size);
  bool text_entry(std::string_view text);

  /// Returns where the map of the present field goes; nullptr if it has no map.
  NamedTexts* texts_at() {
    if (is_key_) return nullptr;
    if (field_ == Field::kSettings) return &settings_;
    if (field_ == Field::kRefused) return &refused_;
    return field_ == Field::kOwn ? &own_ : nullptr;
  }
  bool is_in_texts() const {
    return depth_ == 2 &&
           (field_ == Field::kSettings || field_ == Field::kRefused || field_ == Field::kOwn);
  }

  /// Returns true at an entry of `app`. Entries after the known ones, and values nested in them,
  /// are skipped.
  bool is_in_app() const {
    return depth_ == 2 && !is_key_ && field_ == Field::kApp && app_at_ < kReadingAmounts;
  }

  bool close() {
    --depth_;
    return true;
  }

  bool is_skipped() const { return depth_ > 1 || field_ == Field::kUnknown; }

  template <class F>
  bool take(F read) {
    if (depth_ == 0) return reject("message", "a bare value; must be one map");
    if (is_in_texts()) return reject(key_of(field_), "has a name or a value that is no string");
    if (is_in_app()) {
      return reject(key_of(field_),
                    std::string(amount_name(app_at_)) + ": must be an unsigned integer or nil");
    }
    if (depth_ == 1 && is_key_) return reject("message", "a key that is no string");
    return is_skipped() || read();
  }

  bool reject(std::string_view culprit, std::string message) {
    if (!error_) error_ = malformed(culprit, std::move(message));
    return false;
  }

  std::optional<Error> error_;
  int depth_ = 0;
  bool is_key_ = false;
  Field field_ = Field::kUnknown;  // field whose value is next
  std::uint32_t given_ = 0;        // bit(Field) of each field so far
  std::string_view type_ = kStat;
  Stat stat_;  // also has names and boot of the other types
  std::uint64_t waiting_ = 0;
  ReplicaReading reading_;
  std::uint32_t app_at_ = 0;  // index of the next entry of `app`
  std::uint64_t generation_ = 0;
  NamedTexts settings_, refused_, own_;
};

bool MessageReader::key(std::string_view name) {
  field_ = Field::kUnknown;
  for (std::size_t i = 1; i < kKeys.size(); ++i) {
    if (kKeys[i] == name) field_ = static_cast<Field>(i);
  }
  if (field_ == Field::kUnknown) return true;
  if ((given_ & bit(field_)) != 0) return reject(name, "given twice; must be given once");
  given_ |= bit(field_);
  return true;
}

/// Returns the valid values of each known field, for its error.
std::string_view valid_values(Field field) {
  switch (field) {
    case Field::kUnknown:
      break;
    case Field::kVersion:
      return "must be the integer 1";
    case Field::kType:
      return "must be \"stat\", \"wake\", \"settings\" or \"settings-taken\"";
    case Field::kSource:
      return "must be \"replica\" or \"activator\"";
    case Field::kRevision:
      return "must be a string of 1 to 317 visible ASCII characters";
    case Field::kPod:
      return "must be a string of 1 to 253 visible ASCII characters";
    case Field::kBoot:
    case Field::kSequence:
    case Field::kGeneration:
      return "must be an unsigned 64-bit integer";
    case Field::kAge:
      return "must be an integer from 0 to 86400000 (24 h)";
    case Field::kOccupied:
      return "must be 0 or 1";
    case Field::kMean:
    case Field::kPeak:
    case Field::kCount:
    case Field::kCapacity:
      return "must be a number from 0 to 1e9";
    case Field::kRequests:
    case Field::kWaiting:
    case Field::kUnreachable:
      return "must be an integer from 0 to 1000000000";
    case Field::kApp:
      return "must be an array of 10 to 64 entries";
    case Field::kTimes:
      return "must be binary data of at most 36 bytes";
    case Field::kSettings:
    case Field::kRefused:
    case Field::kOwn:
      return "must be a map of at most 32 names to texts";
  }
  return "";
}

bool MessageReader::wrong_type(std::string_view what) {
  return take([&] {
    return reject(key_of(field_), std::string(what) + ": " + std::string(valid_values(field_)));
  });
}

bool MessageReader::open(std::string_view what, std::uint32_t size) {
  if (!wrong_type(what)) return false;
  if (size > kMaxEntries) {
    return reject("message", std::string(what) + " of " + std::to_string(size) +
                                 " entries in a field that is skipped; at most 64 are");
  }
  if (++depth_ > kMaxDepth) return reject("message", "nested deeper than 4");
  return true;
}

bool MessageReader::up_to(std::uint64_t value, std::uint64_t max, std::uint64_t& into) {
  into = value;
  return value <= max || wrong_type(std::to_string(value));
}

bool MessageReader::integer(std::uint64_t value) {
  switch (field_) {
    case Field::kVersion:
      if (value == kWireVersion) return true;
      error_ = Error(ErrorKind::kUnsupported, "v",
                     "version " + std::to_string(value) + ": this side speaks version 1");
      return false;
    case Field::kBoot:
      stat_.boot = value;
      return true;
    case Field::kSequence:
      stat_.sequence = value;
      return true;
    case Field::kGeneration:
      generation_ = value;
      return true;
    case Field::kAge: {
      std::uint64_t age_ms = 0;
      if (!up_to(value, static_cast<std::uint64_t>(to_milliseconds(kMaxAge)), age_ms)) return false;
      stat_.age = std::chrono::milliseconds(age_ms);
      return true;
    }
    case Field::kRequests:
      return up_to(value, kMaxRequests, stat_.requests);
    case Field::kWaiting:
      return up_to(value, kMaxRequests, waiting_);
    case Field::kUnreachable:
      return up_to(value, kMaxRequests, stat_.unreachable);
    case Field::kOccupied:
      stat_.is_occupied = value == 1;
      return value <= 1 || wrong_type(std::to_string(value));
    case Field::kMean:
    case Field::kPeak:
    case Field::kCount:
    case Field::kCapacity:
      return fraction(static_cast<double>(value));
    default:
      return wrong_type(std::to_string(value));
  }
}

bool MessageReader::fraction(double value) {
  const bool is_counter = field_ == Field::kCount || field_ == Field::kCapacity;
  const bool is_load = is_counter || field_ == Field::kMean || field_ == Field::kPeak;
  // The comparison is false for NaN too.
  if (!is_load || !(value >= 0 && value <= kMaxConcurrency)) {
    return wrong_type(std::to_string(value));
  }
  if (is_counter) {
    if (!stat_.counter) stat_.counter.emplace();
    (field_ == Field::kCount ? stat_.counter->count : stat_.counter->capacity) = value;
    return true;
  }
  (field_ == Field::kMean ? stat_.concurrency : stat_.peak) = value;
  return true;
}

bool MessageReader::text(std::string_view value) {
  switch (field_) {
    case Field::kType:
      for (const std::string_view type : {kStat, kTrigger, kOrder, kTaken}) {
        if (value == type) type_ = type;
      }
      return value == type_ || wrong_type(quoted(value));
    case Field::kSource:
      stat_.source = value == kActivator ? StatSource::kActivator : StatSource::kReplica;
      return value == kActivator || value == kReplica || wrong_type(quoted(value));
    case Field::kRevision:
      if (!is_name(value, kMaxRevisionBytes)) return wrong_type(quoted(value));
      stat_.revision = RevisionId(value);
      return true;
    case Field::kPod:
      if (!is_name(value, kMaxPodBytes)) return wrong_type(quoted(value));
      stat_.pod = PodName(value);
      return true;
    default:
      return wrong_type(quoted(value));
  }
}

bool MessageReader::app_entry(std::optional<std::uint64_t> value) {
  const auto set = set_amount(reading_, app_at_++, value);
  if (!set) error_ = set.error();
  return set.has_value();
}

bool MessageReader::open_texts(std::uint32_t size) {
  ++depth_;
  return size <= kMaxTexts || reject(key_of(field_), "a map of " + std::to_string(size) +
                                                         " entries; at most 32 are read");
}

/// A name or a text of a map of settings.
bool MessageReader::text_entry(std::string_view text) {
  const bool was_key = is_key_;
  is_key_ = false;  // texts_at() is that of the field
  NamedTexts& texts = *texts_at();
  is_key_ = was_key;
  if (!was_key) {
    texts.back().second = text;
    return is_text(text) || reject(key_of(field_), quoted(text) +
                                                       ": must be a text of at most 4096 "
                                                       "bytes without control characters");
  }
  const auto is_it = [&](const auto& entry) { return entry.first == text; };
  if (std::ranges::any_of(texts, is_it)) {
    return reject(key_of(field_), quoted(text) + ": given twice; must be given once");
  }
  texts.emplace_back(text, std::string());
  return is_name(text, kMaxSettingBytes) ||
         reject(key_of(field_),
                quoted(text) + ": must be a name of 1 to 64 visible ASCII characters");
}

/// Returns the first of the fields that the message does not have.
std::optional<Field> MessageReader::missing() const {
  const auto first = [&](const auto& fields) -> std::optional<Field> {
    for (const Field field : fields) {
      if ((given_ & bit(field)) == 0) return field;
    }
    return std::nullopt;
  };
  if (const auto absent = first(std::array{Field::kVersion, Field::kType})) return absent;
  if (type_ == kTrigger) return first(kFieldsOfTrigger);
  if (type_ == kOrder) return first(kFieldsOfOrder);
  return type_ == kTaken ? first(kFieldsOfTaken) : first(kFieldsOfStat);
}

Result<Message> MessageReader::message() && {
  if (const auto absent = missing()) {
    return fail(malformed(key_of(*absent), "missing; " + std::string(valid_values(*absent))));
  }
  if (type_ == kOrder) {
    return Message(SettingsOrder{std::move(stat_.revision), std::move(stat_.pod), generation_,
                                 std::move(settings_)});
  }
  if (type_ == kTaken) {
    return Message(SettingsTaken{std::move(stat_.revision), std::move(stat_.pod), generation_,
                                 std::move(refused_), std::move(own_)});
  }
  if (type_ == kTrigger) {
    return Message(ScaleFromZeroTrigger{std::move(stat_.revision), std::move(stat_.pod), stat_.boot,
                                        waiting_});
  }
  if ((given_ & (bit(Field::kApp) | bit(Field::kTimes))) != 0) {
    if ((given_ & bit(Field::kApp)) == 0) return fail(malformed("times", "given without app"));
    BELLOWS_CHECKED(check(reading_));
    stat_.reading = ReadingPtr(reading_);
  }
  return Message(std::move(stat_));
}

}  // namespace

Result<Message> decode(std::string_view bytes, std::size_t max_bytes) {
  if (bytes.size() > max_bytes) {
    return fail(ErrorKind::kTooLarge, "message",
                std::to_string(bytes.size()) + " bytes; at most " + std::to_string(max_bytes) +
                    " are read");
  }
  MessageReader reader;
  std::size_t end = 0;
  try {
    msgpack::parse(bytes.data(), bytes.size(), end, reader);
  } catch (const std::exception& problem) {
    return fail(malformed("message", problem.what()));
  }
  if (reader.error()) return fail(*std::move(reader.error()));
  if (end != bytes.size()) {
    return fail(malformed(
        "message", std::to_string(bytes.size() - end) + " bytes after the map; must be one map"));
  }
  return std::move(reader).message();
}

}  // namespace bellows::metrics
