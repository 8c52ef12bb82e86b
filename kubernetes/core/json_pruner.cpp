#include "kubernetes/core/json_pruner.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace bellows::kubernetes {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool ends_scalar(char c) {
  return c == ',' || c == '}' || c == ']' || is_space(c);
}

/// Bytes at which skip_nested() stops.
constexpr auto kStructure = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '{', '}', '[', ']'}) table[static_cast<unsigned char>(c)] = true;
  return table;
}();

/// Returns the first quote or backslash, or `end`. It reads eight bytes at a time (Mycroft's test
/// for a zero byte, applied to the difference from the wanted byte).
const char* quote_or_backslash(const char* at, const char* end) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kHigh = 0x8080808080808080ULL;
  while (end - at >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof(word));
    const std::uint64_t quote = word ^ (kOnes * '"');
    const std::uint64_t backslash = word ^ (kOnes * '\\');
    if ((((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash)) & kHigh) break;
    at += 8;
  }
  while (at != end && *at != '"' && *at != '\\') ++at;
  return at;
}

const FieldSet::Node* member(const FieldSet::Node* node, std::string_view key) {
  return node == nullptr ? nullptr : node->find(key);
}

}  // namespace

JsonPruner::JsonPruner(const FieldSet& fields, Options options, OnUnit on_unit)
    : root_(&fields.root()),
      elements_(options.elements_of.empty() ? nullptr : root_->find(options.elements_of)),
      max_unit_bytes_(options.max_unit_bytes),
      on_unit_(std::move(on_unit)),
      node_(root_) {
  const FieldSet::Node* object = root_;
  if (elements_ != nullptr) object = elements_;
  if (!options.object_member.empty()) object = root_->find(options.object_member);
  const FieldSet::Node* metadata = member(object, "metadata");
  name_ = member(metadata, "name");
  ns_ = member(metadata, "namespace");
  if (name_ == ns_)
    name_ = ns_ = nullptr;  // kept as parts of a whole: they have no node of their own
}

Result<void> JsonPruner::feed(std::string_view chunk) {
  const char* at = chunk.data();
  const char* const end = at + chunk.size();
  while (at != end && problem_.empty()) {
    if (state_ != State::kString && state_ != State::kSkipString && state_ != State::kInKey &&
        is_space(*at)) {
      if (state_ == State::kScalar || state_ == State::kSkipScalar) state_ = State::kAfterValue;
      ++at;
      continue;
    }
    const char* const next = step(at, end);
    if (!problem_.empty()) {
      problem_ += " at byte " +
                  std::to_string(consumed_ + 1 + static_cast<std::uint64_t>(at - chunk.data()));
    }
    at = next;
  }
  consumed_ += chunk.size();
  if (!problem_.empty()) return fail(ErrorKind::kMalformed, "JSON", problem_);
  return {};
}

const char* JsonPruner::step(const char* at, const char* end) {
  switch (state_) {
    case State::kValue:
      return begin_value(at);
    case State::kKey:
      return begin_key(at);
    case State::kInKey:
      return read_key(at, end);
    case State::kColon:
      return after_colon(at);
    case State::kString:
      return read_string(at, end, true);
    case State::kScalar:
      return read_scalar(at, end, true);
    case State::kAfterValue:
      return after_value(at);
    case State::kSkipValue:
      return begin_skip(at);
    case State::kSkipNested:
      return skip_nested(at, end);
    case State::kSkipString:
      return read_string(at, end, false);
    case State::kSkipScalar:
      return read_scalar(at, end, false);
  }
  return end;
}

const char* JsonPruner::wrong(const char* at, std::string_view want) {
  const auto byte = static_cast<unsigned char>(*at);
  const std::string shown = byte >= ' ' && byte < 0x7F ? std::string{'\'', *at, '\''}
                                                       : "byte value " + std::to_string(byte);
  problem_ = shown + ": want " + std::string(want);
  return at;
}

const char* JsonPruner::begin_value(const char* at) {
  if (frames_.empty() && *at != '{') return wrong(at, "an object");
  if (*at == ']' && !frames_.empty() && frames_.back().is_list && !frames_.back().needs_more) {
    close();
    return at + 1;
  }
  if (*at == ']' || *at == '}' || *at == ',' || *at == ':') return wrong(at, "a value");
  if (frames_.empty() || is_element_level()) begin_unit();
  if (!frames_.empty() && frames_.back().is_list) separate();
  switch (*at) {
    case '{':
      open(false);
      return at + 1;
    case '[':
      open(true);
      return at + 1;
    case '"':
      append("\"");
      string_begin_ = out_.size();
      state_ = State::kString;
      return at + 1;
    default:
      state_ = State::kScalar;
      return at;
  }
}

const char* JsonPruner::begin_key(const char* at) {
  if (*at == '}' && !frames_.back().needs_more) {
    close();
    return at + 1;
  }
  if (*at != '"') return wrong(at, "a key");
  key_.clear();
  state_ = State::kInKey;
  return at + 1;
}

const char* JsonPruner::read_key(const char* at, const char* end) {
  while (at != end) {
    if (is_escaped_) {
      is_escaped_ = false;
      key_ += *at++;
      continue;
    }
    const char* const stop = quote_or_backslash(at, end);
    key_.append(at, stop);
    if (stop == end) return end;
    if (*stop == '"') {
      state_ = State::kColon;
      return stop + 1;
    }
    key_ += '\\';
    is_escaped_ = true;
    at = stop + 1;
  }
  return end;
}

const char* JsonPruner::after_colon(const char* at) {
  if (*at != ':') return wrong(at, "a colon");
  frames_.back().needs_more = false;
  node_ = frames_.back().node->find(key_);
  if (node_ == nullptr) {
    state_ = State::kSkipValue;
    return at + 1;
  }
  separate();
  append("\"");
  append(key_);
  append("\":");
  state_ = State::kValue;
  return at + 1;
}

const char* JsonPruner::read_string(const char* at, const char* end, bool keep) {
  const char* const begin = at;
  const auto keep_until = [&](const char* stop) {
    if (keep) append({begin, static_cast<std::size_t>(stop - begin)});
    return stop;
  };
  while (at != end) {
    if (is_escaped_) {
      is_escaped_ = false;
      ++at;
      continue;
    }
    at = quote_or_backslash(at, end);
    if (at == end) break;
    if (*at == '"') {
      if (!keep) {
        state_ = skip_depth_ > 0 ? State::kSkipNested : State::kAfterValue;
        return at + 1;
      }
      keep_until(at + 1);
      value_ended();
      return at + 1;
    }
    is_escaped_ = true;
    ++at;
  }
  return keep_until(end);
}

const char* JsonPruner::read_scalar(const char* at, const char* end, bool keep) {
  const char* stop = at;
  while (stop != end && !ends_scalar(*stop)) ++stop;
  if (keep) append({at, static_cast<std::size_t>(stop - at)});
  if (stop != end) state_ = State::kAfterValue;
  return stop;
}

const char* JsonPruner::after_value(const char* at) {
  if (frames_.empty()) return wrong(at, "an object");
  Frame& frame = frames_.back();
  // An element that is a number or a word ends here; others have ended with their last byte.
  if (is_element_level() && out_.size() > unit_begin_) emit(true);
  if (*at == ',') {
    frame.needs_more = true;
    node_ = frame.node;
    state_ = frame.is_list ? State::kValue : State::kKey;
    return at + 1;
  }
  if (*at != (frame.is_list ? ']' : '}')) {
    return wrong(at, frame.is_list ? "a comma or ]" : "a comma or }");
  }
  close();
  return at + 1;
}

const char* JsonPruner::begin_skip(const char* at) {
  switch (*at) {
    case '{':
    case '[':
      skip_depth_ = 1;
      state_ = State::kSkipNested;
      return at + 1;
    case '"':
      state_ = State::kSkipString;
      return at + 1;
    case '}':
    case ']':
    case ',':
    case ':':
      return wrong(at, "a value");
    default:
      state_ = State::kSkipScalar;
      return at;
  }
}

const char* JsonPruner::skip_nested(const char* at, const char* end) {
  while (at != end) {
    while (at != end && !kStructure[static_cast<unsigned char>(*at)]) ++at;
    if (at == end) return end;
    const char c = *at++;
    if (c == '"') {
      // Within the chunk the string is skipped here: most are keys of a few bytes.
      while (true) {
        at = quote_or_backslash(at, end);
        if (at == end || end - at < 2) {
          if (at != end && *at == '"') {
            ++at;
            break;
          }
          state_ = State::kSkipString;
          return at;
        }
        if (*at == '"') {
          ++at;
          break;
        }
        at += 2;
      }
    } else if (c == '{' || c == '[') {
      ++skip_depth_;
    } else if (--skip_depth_ == 0) {
      state_ = State::kAfterValue;
      return at;
    }
  }
  return end;
}

void JsonPruner::open(bool is_list) {
  append(is_list ? "[" : "{");
  frames_.push_back({.node = node_, .is_list = is_list, .has_member = false, .needs_more = false});
  state_ = is_list ? State::kValue : State::kKey;
}

void JsonPruner::close() {
  append(frames_.back().is_list ? "]" : "}");
  frames_.pop_back();
  value_ended();
}

bool JsonPruner::is_element_level() const {
  return elements_ != nullptr && frames_.size() == 2 && frames_.back().is_list &&
         frames_.back().node == elements_;
}

void JsonPruner::value_ended() {
  state_ = State::kAfterValue;
  if (node_ == name_ && name_ != nullptr && !is_too_large_ && string_begin_ > unit_begin_) {
    unit_name_.assign(out_, string_begin_, out_.size() - 1 - string_begin_);
  } else if (node_ == ns_ && ns_ != nullptr && !is_too_large_ && string_begin_ > unit_begin_) {
    unit_ns_.assign(out_, string_begin_, out_.size() - 1 - string_begin_);
  }
  if (!frames_.empty()) node_ = frames_.back().node;
  if (is_element_level()) {
    emit(true);
  } else if (frames_.empty()) {
    emit(false);
    state_ = State::kValue;
    node_ = root_;
  }
}

void JsonPruner::begin_unit() {
  unit_begin_ = out_.size();
  is_too_large_ = false;
  unit_name_.clear();
  unit_ns_.clear();
  string_begin_ = 0;
}

void JsonPruner::emit(bool is_element) {
  const std::size_t begin = is_element ? unit_begin_ : 0;
  on_unit_({.text = std::string_view(out_).substr(begin),
            .is_element = is_element,
            .is_too_large = is_too_large_,
            .ns = unit_ns_,
            .name = unit_name_});
  out_.resize(begin);
  begin_unit();
}

void JsonPruner::append(std::string_view text) {
  if (is_too_large_) return;
  if (out_.size() - unit_begin_ + text.size() > max_unit_bytes_) {
    is_too_large_ = true;
    return;
  }
  out_.append(text);
}

void JsonPruner::separate() {
  Frame& frame = frames_.back();
  // Elements that are units leave no text behind, and so no commas.
  if (frame.has_member && !is_element_level()) append(",");
  frame.has_member = true;
  frame.needs_more = false;
}

}  // namespace bellows::kubernetes
