// Reads and writes the members of settings structs, whatever their type.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>

#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/field.hpp"
#include "config/websocket_url.hpp"

namespace bellows::config {

/// Reads and prints a type of member. Specialized below for each type of setting. The value of a
/// choice is its number; its name is in the declaration.
template <class M>
struct Member;

/// A type that is an alternative of Value itself.
template <class M, Kind kind>
struct PlainMember {
  static constexpr Kind kKind = kind;
  static Value value(const M& member) { return member; }
  static void assign(M& member, const Value& value) { member = std::get<M>(value); }
};
template <>
struct Member<Duration> : PlainMember<Duration, Kind::kDuration> {};
template <>
struct Member<double> : PlainMember<double, Kind::kNumber> {};
template <>
struct Member<bool> : PlainMember<bool, Kind::kFlag> {};
template <>
struct Member<std::string> : PlainMember<std::string, Kind::kText> {};
template <>
struct Member<Bytes> : PlainMember<Bytes, Kind::kBytes> {};
template <>
struct Member<Millicores> : PlainMember<Millicores, Kind::kCpu> {};
template <>
struct Member<Endpoint> : PlainMember<Endpoint, Kind::kEndpoint> {};
template <>
struct Member<WebSocketUrl> : PlainMember<WebSocketUrl, Kind::kWebSocketUrl> {};

template <class M>
requires std::integral<M> || std::is_enum_v<M>
struct Member<M> {
  static constexpr Kind kKind = std::is_enum_v<M> ? Kind::kChoice : Kind::kInteger;
  static Value value(M member) { return static_cast<std::int64_t>(member); }
  static void assign(M& member, const Value& value) {
    member = static_cast<M>(std::get<std::int64_t>(value));
  }
};

template <class Tag>
struct Member<StrongName<Tag>> {
  static constexpr Kind kKind = Kind::kText;
  static Value value(const StrongName<Tag>& member) { return member.text(); }
  static void assign(StrongName<Tag>& member, const Value& value) {
    member = StrongName<Tag>(std::get<std::string>(value));
  }
};

/// An optional setting.
template <class M>
struct Member<std::optional<M>> {
  static constexpr Kind kKind = Member<M>::kKind;
  static Value value(const std::optional<M>& member) {
    return member ? Member<M>::value(*member) : Value();
  }
  static void assign(std::optional<M>& member, const Value& value) {
    Member<M>::assign(member.emplace(), value);
  }
};

/// Returns the maximum of an integer type.
template <class M>
constexpr std::optional<double> max_of(const M* /*type*/) {
  if constexpr (std::integral<M> && !std::same_as<M, bool>) {
    return static_cast<double>(std::numeric_limits<M>::max());
  } else {
    return std::nullopt;
  }
}
template <class M>
constexpr std::optional<double> max_of(const std::optional<M>* /*type*/) {
  return max_of(static_cast<const M*>(nullptr));
}

template <class M>
Value get_member(const void* member) {
  return Member<M>::value(*static_cast<const M*>(member));
}
template <class M>
void set_member(void* member, const Value& value) {
  Member<M>::assign(*static_cast<M*>(member), value);
}

/// The description of a type of member.
struct MemberType {
  Kind kind = Kind::kText;
  std::optional<double> max;  ///< of its values; nullopt: none
  Value (*get)(const void* member) = nullptr;
  void (*set)(void* member, const Value& value) = nullptr;  ///< `value` is of `kind`
};
template <class M>
inline constexpr MemberType kMemberType{Member<M>::kKind, max_of(static_cast<const M*>(nullptr)),
                                        get_member<M>, set_member<M>};

/// The member of a struct into which a setting is written.
struct Place {
  const std::type_info* owner = nullptr;  ///< the struct
  const MemberType* type = nullptr;
  const void* (*to_read)(const void* settings) = nullptr;
  void* (*to_write)(void* settings) = nullptr;

  /// Both return its address in a struct of the owner's type.
  const void* member(const void* settings) const { return to_read(settings); }
  void* member(void* settings) const { return to_write(settings); }
};

template <auto member>
struct PlaceOf;
template <class T, class M, M T::*member>
struct PlaceOf<member> {
  static const void* to_read(const void* settings) {
    return &(static_cast<const T*>(settings)->*member);
  }
  static void* to_write(void* settings) { return &(static_cast<T*>(settings)->*member); }
  static constexpr Place kPlace{&typeid(T), &kMemberType<M>, to_read, to_write};
};
template <auto member>
inline constexpr Place at = PlaceOf<member>::kPlace;

/// One value of a setting of kind kChoice.
struct Choice {
  std::string_view name = {};
  std::int64_t value = 0;

  constexpr Choice() = default;
  template <class E>
  constexpr Choice(std::string_view text, E choice)
      : name(text), value(static_cast<std::int64_t>(choice)) {}
};

}  // namespace bellows::config
