// Bodies of PATCH requests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bellows::kubernetes {

inline constexpr std::string_view kJsonPatchType = "application/json-patch+json";
inline constexpr std::string_view kMergePatchType = "application/merge-patch+json";

/// A JSON patch (RFC 6902). Operations take effect in the order of the calls, all or none. A failed
/// test results in 422 (kConflict, see status.hpp): `JsonPatch().test("/metadata/uid",
/// uid).test("/spec/replicas", 2).replace("/spec/replicas", 4)`.
class JsonPatch {
 public:
  JsonPatch& test(std::string_view path, std::string_view text);
  JsonPatch& test(std::string_view path, std::int64_t number);
  /// `json` is a JSON value.
  JsonPatch& test_json(std::string_view path, std::string_view json);
  JsonPatch& replace(std::string_view path, std::string_view text);
  JsonPatch& replace(std::string_view path, std::int64_t number);
  /// `json` is a JSON value.
  JsonPatch& replace_json(std::string_view path, std::string_view json);
  JsonPatch& add(std::string_view path, std::string_view text);
  /// `json` is a JSON value.
  JsonPatch& add_json(std::string_view path, std::string_view json);
  JsonPatch& remove(std::string_view path);

  bool is_empty() const { return operations_.empty(); }
  /// Returns the body: a list of operations.
  std::string body() const { return "[" + operations_ + "]"; }

 private:
  void operation(std::string_view op, std::string_view path, std::string_view json);

  std::string operations_;
};

/// Returns a merge patch (RFC 7396) that sets one annotation, or removes it if `value` is null.
std::string annotation_patch(std::string_view key, const std::string* value);

}  // namespace bellows::kubernetes
