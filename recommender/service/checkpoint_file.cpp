#include "recommender/service/checkpoint_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace bellows::recommender {

namespace {

namespace json = boost::json;

constexpr std::int64_t kVersion = 1;

tl::unexpected<Error> file_error(const std::string& path, std::string_view what) {
  return fail(system_error("checkpoint file " + path, what, errno));
}

/// A file that is closed, whatever happens.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : number_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) {}
  ~OpenFile() {
    if (number_ >= 0) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool write_to_disk(std::string_view text) const {
    while (number_ >= 0 && !text.empty()) {
      const ssize_t done = ::write(number_, text.data(), text.size());
      if (done < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return number_ >= 0 && ::fsync(number_) == 0;
  }

 private:
  const int number_;
};

}  // namespace

std::string checkpoint_json(const SavedWorkloads& saved) {
  // A state stays a text: as a part of this JSON its numbers would pass through a reader that may
  // be off by an ulp.
  std::string text = R"({"version":1,"workloads":{)";
  bool is_first = true;
  for (const auto& [id, states] : saved) {
    text += (is_first ? "\n" : ",\n") + json::serialize(json::string(id.text())) + ":{";
    is_first = false;
    std::string between;
    for (const auto& [policy, state] : states) {
      text += between + "\n" + json::serialize(json::string(policy)) + ":" +
              json::serialize(json::string(state));
      between = ",";
    }
    text += "}";
  }
  return text + "}}\n";
}

Result<SavedWorkloads> parse_checkpoint(std::string_view text) {
  boost::system::error_code code;
  const json::value value = json::parse({text.data(), text.size()}, code);
  if (code || !value.is_object()) {
    return fail(ErrorKind::kMalformed, "the whole of it", "want one JSON object");
  }
  const json::object& root = value.get_object();
  const json::value* version = root.if_contains("version");
  if (version == nullptr || !version->is_int64() || version->get_int64() != kVersion) {
    return fail(ErrorKind::kUnsupported, "version",
                (version == nullptr ? "missing" : json::serialize(*version)) + ", want 1");
  }
  const json::value* workloads = root.if_contains("workloads");
  if (workloads == nullptr || !workloads->is_object()) {
    return fail(ErrorKind::kMalformed, "workloads", "missing or wrong, want an object");
  }
  SavedWorkloads saved;
  for (const auto& [id, states] : workloads->get_object()) {
    const std::string name(id);
    if (!states.is_object()) {
      return fail(ErrorKind::kMalformed, "workloads." + name, "want an object");
    }
    for (const auto& [policy, state] : states.get_object()) {
      if (!state.is_string()) {
        return fail(ErrorKind::kMalformed, "workloads." + name + "." + std::string(policy),
                    "want the text of a policy's state");
      }
      saved[RevisionId(name)][std::string(policy)] = std::string(state.get_string());
    }
  }
  return saved;
}

Result<SavedWorkloads> read_checkpoint(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    if (errno == ENOENT) return SavedWorkloads{};
    return file_error(path, "cannot be read");
  }
  std::ostringstream text;
  text << file.rdbuf();
  auto saved = parse_checkpoint(text.str());
  if (saved) return saved;
  const Error& error = saved.error();
  return fail(error.kind(), "checkpoint file " + path, error.culprit() + ": " + error.message());
}

Result<void> write_checkpoint(const std::string& path, const SavedWorkloads& saved) {
  const std::string fresh = path + ".new";
  if (!OpenFile(fresh).write_to_disk(checkpoint_json(saved))) {
    return file_error(fresh, "cannot be written");
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) return file_error(path, "cannot be replaced");
  return {};
}

void set_aside(const std::string& path) {
  std::rename(path.c_str(), (path + ".broken").c_str());
}

}  // namespace bellows::recommender
