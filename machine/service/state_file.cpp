#include "machine/service/state_file.hpp"

#include <map>
#include <string>
#include <utility>

#include "base/sys/file.hpp"
#include "machine/core/state_text.hpp"

namespace bellows::machine {
namespace {

constexpr std::string_view kStateFile = "state file";
/// Only the owner may read the file, because the environment of apps may have secrets.
constexpr mode_t kStateFileMode = 0600;

}  // namespace

Result<Records> read_state_file(const std::string& path) {
  const auto text = sys::read_whole_file(path, kStateFile);
  if (!text && text.error().kind() == ErrorKind::kNotFound) return Records();
  if (!text) return fail(text.error());
  auto records = read_state(*text);
  if (records) return records;
  return fail(Error(records.error().kind(), std::string(kStateFile) + " " + path,
                    "cannot be read, so the revisions to run are unknown; restore it, or remove it "
                    "to start with those of the settings file")
                  .caused_by(records.error()));
}

StateFile::StateFile(std::string path, const Records& records) : path_(std::move(path)) {
  for (const auto& [name, record] : records) {
    if (!is_as_declared(record)) lines_.emplace(name, state_line(record));
  }
}

Result<void> StateFile::save(const Edits& edits) {
  if (path_.empty()) return {};
  std::map<RevisionId, std::string> before;  // empty: there was none
  for (const auto& [name, record] : edits) {
    const std::string line =
        record && !is_as_declared(*record) ? state_line(*record) : std::string();
    if (std::string now = std::exchange(lines_[name], line); now != line) {
      before.emplace(name, std::move(now));
    }
    if (line.empty()) lines_.erase(name);
  }
  if (before.empty()) return {};
  auto written = sys::replace_file(path_, state_text(lines_), kStateFile, kStateFileMode);
  if (written) return written;
  for (auto& [name, line] : before) {
    if (line.empty()) {
      lines_.erase(name);
    } else {
      lines_[name] = std::move(line);
    }
  }
  return written;
}

}  // namespace bellows::machine
