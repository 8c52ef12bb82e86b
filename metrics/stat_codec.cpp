#include "metrics/stat_codec.hpp"

#include <array>
#include <cmath>
#include <exception>
#include <msgpack.hpp>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "metrics/reading_amounts.hpp"

namespace bellows::metrics {
namespace {

enum class Field : std::uint8_t {
  kUnknown,
  kVersion,
  kType,
  kRevision,
  kPod,
  kSource,
  kBoot,
  kSequence,
  kAge,
  kMean,
  kPeak,
  kRequests,
  kWaiting,
  kUnreachable,
  kApp,
  kTimes,
  kOccupied,
  kCount,
  kCapacity,
};

constexpr std::array<std::string_view, 19> kKeys = {
    "(unknown)", "v",    "type", "rev",      "pod",     "source",      "boot",
    "seq",       "age_ms", "mean", "peak",   "requests", "waiting",    "unreachable",
    "app",       "times",  "occupied", "count", "capacity"};

constexpr std::string_view key_of(Field field) {
  return kKeys[static_cast<std::size_t>(field)];
}

constexpr std::uint32_t bit(Field field) {
  return std::uint32_t{1} << static_cast<unsigned>(field);
}

// In the order in which encode() writes them, so that the first one missing is named.
constexpr std::array kFieldsOfStat = {Field::kRevision, Field::kPod,      Field::kSource,
                                      Field::kBoot,     Field::kSequence, Field::kAge,
                                      Field::kMean,     Field::kPeak,     Field::kRequests};
constexpr std::array kFieldsOfTrigger = {Field::kRevision, Field::kPod, Field::kBoot,
                                         Field::kWaiting};

constexpr std::string_view kStat = "stat";
constexpr std::string_view kTrigger = "wake";
constexpr std::string_view kReplica = "replica";
constexpr std::string_view kActivator = "activator";

constexpr std::uint64_t kMaxRequests = 1'000'000'000;
constexpr std::uint32_t kMaxEntries = 64;  // of a map or array
constexpr int kMaxDepth = 4;               // of a value that is skipped

Error malformed(std::string_view culprit, std::string message) {
  return Error(ErrorKind::kMalformed, std::string(culprit), std::move(message));
}

/// Untrusted text for an error message: short and without control characters.
std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxShown = 40;
  std::string shown = "\"";
  for (const char c : text.substr(0, kMaxShown)) shown += (c >= ' ' && c <= '~') ? c : '?';
  shown += '"';
  if (text.size() > kMaxShown) shown += " (" + std::to_string(text.size()) + " bytes)";
  return shown;
}

bool is_name(std::string_view text, std::size_t max_bytes) {
  if (text.empty() || text.size() > max_bytes) return false;
  for (const char c : text) {
    if (c <= ' ' || c > '~') return false;
  }
  return true;
}

/// Receives one message from msgpack's parser, value by value. A callback that returns false stops
/// the parser; error() then says why.
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
    if (depth_ != 0) return open("a map", size);
    ++depth_;
    return size <= kMaxEntries ||
           reject("message", "a map of " + std::to_string(size) + " fields; at most 64 are read");
  }
  bool end_map() { return close(); }
  bool start_map_key() {
    if (depth_ == 1) is_key_ = true;
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
  // Each returns false after reject().
  bool key(std::string_view name);
  bool integer(std::uint64_t value);
  bool fraction(double value);
  bool text(std::string_view value);
  bool name(std::string_view value, std::string& into_text);
  bool open(std::string_view what, std::uint32_t size);
  bool wrong_type(std::string_view what);
  bool up_to(std::uint64_t value, std::uint64_t max, std::uint64_t& into);

  bool app_entry(std::optional<std::uint64_t> value);

  /// At an entry of `app`. Entries after the known ones, and what is nested in them, are skipped.
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
  Field field_ = Field::kUnknown;  // whose value comes next
  std::uint32_t given_ = 0;        // bit(Field) of each known field
  bool is_trigger_ = false;
  Stat stat_;  // names and boot of a trigger too
  std::uint64_t waiting_ = 0;
  ReplicaReading reading_;
  std::uint32_t app_at_ = 0;  // the entry of `app` that comes next
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

/// The valid values of each known field, for its error.
std::string_view valid_values(Field field) {
  switch (field) {
    case Field::kUnknown:
      break;
    case Field::kVersion:
      return "must be the integer 1";
    case Field::kType:
      return "must be \"stat\" or \"wake\"";
    case Field::kSource:
      return "must be \"replica\" or \"activator\"";
    case Field::kRevision:
      return "must be a string of 1 to 317 visible ASCII characters";
    case Field::kPod:
      return "must be a string of 1 to 253 visible ASCII characters";
    case Field::kBoot:
    case Field::kSequence:
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
      is_trigger_ = value == kTrigger;
      return is_trigger_ || value == kStat || wrong_type(quoted(value));
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

Result<Message> MessageReader::message() && {
  const auto missing = [&](const auto& fields) -> std::optional<Field> {
    for (const Field field : fields) {
      if ((given_ & bit(field)) == 0) return field;
    }
    return std::nullopt;
  };
  auto absent = missing(std::array{Field::kVersion, Field::kType});
  if (!absent) absent = is_trigger_ ? missing(kFieldsOfTrigger) : missing(kFieldsOfStat);
  if (absent) {
    return fail(malformed(key_of(*absent), "missing; " + std::string(valid_values(*absent))));
  }
  if (!is_trigger_) {
    if ((given_ & (bit(Field::kApp) | bit(Field::kTimes))) != 0) {
      if ((given_ & bit(Field::kApp)) == 0) return fail(malformed("times", "given without app"));
      BELLOWS_CHECKED(check(reading_));
      stat_.reading = ReadingPtr(reading_);
    }
    return Message(std::move(stat_));
  }
  return Message(
      ScaleFromZeroTrigger{std::move(stat_.revision), std::move(stat_.pod), stat_.boot, waiting_});
}

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
    // As docs/wire.md says; msgpack-cxx 4 would do so by itself, 7 does not.
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

Result<Message> decode(std::string_view bytes) {
  if (bytes.size() > kMaxMessageBytes) {
    return fail(ErrorKind::kTooLarge, "message",
                std::to_string(bytes.size()) + " bytes; at most 4096 are read");
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
