#include "cli/inject/inject_files.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "command/input.hpp"
#include "injector/yaml/read.hpp"

namespace bellows::cli {

namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  static const std::array<fs::path, 3> kExtensions = {".yaml", ".yml", ".json"};
  // Files of kustomize are no objects of a cluster.
  if (path.stem() == "kustomization") return false;
  return std::ranges::find(kExtensions, path.extension()) != kExtensions.end();
}

}  // namespace

Result<std::vector<std::string>> manifest_files(const std::string& argument) {
  std::error_code error;
  if (argument == command::kStandardInput || !fs::is_directory(argument, error)) {
    return std::vector<std::string>{argument};
  }
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator entry(argument, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unread;
    const bool is_file = entry->is_regular_file(unread);
    if (unread) {
      return fail(system_error(entry->path().string(), "cannot read the file", unread.value()));
    }
    if (is_file && is_manifest(entry->path())) files.push_back(entry->path());
  }
  if (error) return fail(system_error(argument, "cannot read the folder", error.value()));
  if (files.empty()) {
    return fail(ErrorKind::kNotFound, argument, "it has no .yaml, .yml or .json file");
  }
  std::ranges::sort(files);
  return files;
}

Result<std::vector<injector::Manifest>> read_manifests(const std::vector<std::string>& arguments) {
  std::vector<injector::Manifest> manifests;
  for (const std::string& argument : arguments) {
    BELLOWS_TRY(const std::vector<std::string> files, manifest_files(argument));
    for (const std::string& file : files) {
      BELLOWS_TRY(const std::string text, command::read_input(file, "the manifest"));
      BELLOWS_TRY(injector::Manifest manifest,
                  injector::read_manifest(command::input_name(file), text, injector::read_yaml));
      manifests.push_back(std::move(manifest));
    }
  }
  return manifests;
}

std::string joined_text(const std::vector<injector::Manifest>& manifests) {
  if (manifests.size() == 1) return injector::manifest_text(manifests.front());
  std::string text;
  for (const injector::Manifest& manifest : manifests) {
    std::string own = manifest.before;
    for (const injector::Document& document : manifest.documents) {
      own += document.text;
      if (document.has_no_end) own.pop_back();
      if (!text.empty() && !text.ends_with('\n')) text += '\n';
      const bool needs_marker = !text.empty() || own.starts_with('{');
      if (needs_marker && !own.starts_with("---")) text += "---\n";
      text += std::exchange(own, "");
    }
  }
  return text;
}

}  // namespace bellows::cli
