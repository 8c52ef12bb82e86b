// Names of different kinds have different types: a revision is not a pod.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace bellows {

/// A name of one kind. `Tag` needs no definition.
template <class Tag>
class StrongName {
 public:
  StrongName() = default;
  explicit StrongName(std::string text) : text_(std::move(text)) {}
  explicit StrongName(std::string_view text) : text_(text) {}
  explicit StrongName(const char* text) : text_(text) {}

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const StrongName&) const = default;

 private:
  std::string text_;
};

/// One version of a service, scaled as a unit; also a service, of which each revision is one
/// version.
using RevisionId = StrongName<struct RevisionTag>;
/// A replica (on Kubernetes a pod), or an activator as a source of stats.
using PodName = StrongName<struct PodTag>;

}  // namespace bellows

template <class Tag>
struct std::hash<bellows::StrongName<Tag>> {
  std::size_t operator()(const bellows::StrongName<Tag>& name) const noexcept {
    return std::hash<std::string>()(name.text());
  }
};
