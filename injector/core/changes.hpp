// Changes the input document by document, and reverts all changes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/manifest.hpp"
#include "injector/core/report.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

using Place = std::pair<std::size_t, std::size_t>;  ///< manifest, document
using Documents = std::map<Place, Document>;
/// Documents that stay as they are because a change could not be taken back exactly, each with what
/// is wrong.
using LeftAlone = std::map<Place, std::string>;

inline Place place_of(const Resource& resource) {
  return {resource.manifest, resource.document};
}

/// The reason for refusing a change of a value that other values share.
inline constexpr const char* kIsShared =
    "is shared by a YAML anchor, alias or merge key, or has a tag: write it out";

/// Collects the changes of objects. Owner: the function that changes `manifests`, which outlive it.
class Changes {
 public:
  Changes(std::vector<Manifest>& manifests, const ReadDocument& read)
      : manifests_(manifests), read_(read) {}

  Editor& editor(const Resource& resource);

  /// Writes the changes into the documents. Returns those documents as they were. A document that
  /// cannot be read after its change stays as it was, and is in `left_alone`.
  Documents apply(LeftAlone& left_alone);

 private:
  std::vector<Manifest>& manifests_;
  const ReadDocument& read_;
  std::map<Place, Editor> editors_;
};

/// The changes of one object, in the editor of its document: they are forgotten unless kept.
class Trial {
 public:
  explicit Trial(Editor& editor) : editor_(editor), before_(editor.change_count()) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    if (!is_kept_) editor_.roll_back(before_);
  }

  Editor& editor() { return editor_; }
  void keep() { is_kept_ = true; }

 private:
  Editor& editor_;
  std::size_t before_;
  bool is_kept_ = false;
};

using Filter = std::function<bool(const Resource&)>;

/// Removes what an earlier inject added to the objects for which `wants` returns true. Returns the
/// changed documents as they were.
Result<Documents> strip_all(std::vector<Manifest>& manifests, const Filter& wants,
                            const ReadDocument& read, std::vector<ReportLine>& report);

/// Restores a copy of each document that was changed, and compares it with what it was, `before`.
/// Adds those that differ to `left_alone`; they are not changed here.
void verify(const Documents& before, const std::vector<Manifest>& after, const ReadDocument& read,
            LeftAlone& left_alone);

/// Restores documents that were up to date, in any format, from `originals`.
void keep_up_to_date(Documents originals, std::vector<Manifest>& manifests);

}  // namespace bellows::injector
