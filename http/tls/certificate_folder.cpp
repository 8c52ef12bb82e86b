#include "http/tls/certificate_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

namespace bellows::http {

namespace {

constexpr std::string_view kCertbotChain = "fullchain";
constexpr std::string_view kCertbotKey = "privkey";

/// Splits "shop.example/tls.crt" into "shop.example", "tls" and "crt".
struct Place {
  explicit Place(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string_view::npos) {
      folder = path.substr(0, slash);
      path.remove_prefix(slash + 1);
    }
    const std::size_t dot = path.rfind('.');
    stem = path.substr(0, dot);
    if (dot != std::string_view::npos) ending = path.substr(dot + 1);
  }
  std::string_view folder;
  std::string_view stem;
  std::string_view ending;
};

/// The certificate and key files of one name; empty if missing.
struct Found {
  std::string certificate;
  std::string also;  // a second certificate
  std::string key;
};
/// Indexed by folder and stem.
using FoundByName = std::map<std::pair<std::string, std::string>, Found>;

/// Returns the folders with certbot's names. A set keeps look-ups fast, because thousands of files
/// may be checked each second.
std::set<std::string_view> certbots_folders(const std::vector<std::string>& files) {
  std::set<std::string_view> folders;
  for (const std::string& path : files) {
    const Place place(path);
    const bool is_certbots = place.stem == kCertbotChain || place.stem == kCertbotKey;
    if (is_certbots && place.ending == "pem") folders.insert(place.folder);
  }
  return folders;
}

void take(const std::string& path, bool is_certbots, FoundByName& found) {
  const Place place(path);
  const std::string folder(place.folder);
  if (is_certbots && place.ending == "pem") {
    Found& pair = found[{folder, std::string(kCertbotChain)}];
    if (place.stem == kCertbotChain) pair.certificate = path;
    if (place.stem == kCertbotKey) pair.key = path;
    return;
  }
  if (place.ending != "crt" && place.ending != "pem" && place.ending != "key") return;
  Found& pair = found[{folder, std::string(place.stem)}];
  if (place.ending == "key") {
    pair.key = path;
  } else {
    (pair.certificate.empty() ? pair.certificate : pair.also) = path;
  }
}

bool is_ca_alone(const std::string& stem, const Found& found) {
  return stem == "ca" && found.key.empty();
}

std::string pair_name(const std::string& folder, const std::string& stem) {
  if (folder.empty()) return stem;
  const bool is_usual = stem == "tls" || stem == kCertbotChain;
  return is_usual ? folder : folder + "/" + stem;
}

/// Returns the rank of a pair; smaller ones come first.
int rank_of(const std::string& folder, const std::string& stem) {
  if (!folder.empty()) return folder == "default" ? 1 : 3;
  if (stem == "default") return 0;
  return stem == "tls" || stem == kCertbotChain ? 2 : 3;
}

std::string problem_of(const Found& found, const std::string& stem) {
  if (!found.also.empty()) {
    return found.certificate + " and " + found.also + " have one name; want one certificate for " +
           stem + ".key";
  }
  const bool is_certbots = stem == kCertbotChain;
  const std::string key = is_certbots ? std::string(kCertbotKey) + ".pem" : stem + ".key";
  const std::string certificate =
      is_certbots ? std::string(kCertbotChain) + ".pem" : stem + ".crt or " + stem + ".pem";
  if (found.key.empty()) return found.certificate + " has no key; want " + key + " beside it";
  return found.key + " has no certificate; want " + certificate + " beside it";
}

void add_files(const std::filesystem::path& folder, const std::string& prefix,
               std::vector<std::string>& files, std::error_code& error) {
  namespace fs = std::filesystem;
  for (fs::directory_iterator each(folder, error), end; !error && each != end;
       each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code gone;  // removed between the two calls
    if (each->is_directory(gone)) {
      if (prefix.empty()) add_files(each->path(), name + "/", files, error);
    } else {
      files.push_back(prefix + name);
    }
  }
}

}  // namespace

Result<std::vector<CertificateFiles>> pair_up(const std::string& folder,
                                              std::vector<std::string> files) {
  std::ranges::sort(files);
  FoundByName found;
  const std::set<std::string_view> certbots = certbots_folders(files);
  for (const std::string& path : files) {
    take(path, certbots.contains(Place(path).folder), found);
  }
  std::map<std::pair<int, std::string>, CertificateFiles> pairs;
  for (const auto& [place, each] : found) {
    const auto& [sub_folder, stem] = place;
    if (is_ca_alone(stem, each)) continue;
    if (each.certificate.empty() || each.key.empty() || !each.also.empty()) {
      return fail(ErrorKind::kInvalidSetting, "folder " + folder, problem_of(each, stem));
    }
    std::string name = pair_name(sub_folder, stem);
    pairs[{rank_of(sub_folder, stem), place.first + "/" + stem}] = {
        .name = std::move(name),
        .certificate = folder + "/" + each.certificate,
        .key = folder + "/" + each.key};
  }
  if (pairs.empty()) {
    return fail(ErrorKind::kInvalidSetting, "folder " + folder,
                "it holds no certificate; want NAME.crt and NAME.key, or fullchain.pem and "
                "privkey.pem, here or in sub-folders");
  }
  std::vector<CertificateFiles> sorted;
  for (auto& [rank, pair] : pairs) sorted.push_back(std::move(pair));
  return sorted;
}

Result<std::vector<CertificateFiles>> certificates_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  add_files(folder, "", files, error);
  if (error) {
    return fail(
        ErrorKind::kInvalidSetting, "folder " + folder,
        "cannot be read: " + error.message() + "; want a folder with certificates and keys");
  }
  return pair_up(folder, std::move(files));
}

}  // namespace bellows::http
