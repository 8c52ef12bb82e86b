#include "recommender/service/checkpoint_file.hpp"

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdio>
#include <string_view>

#include "base/sys/file.hpp"

namespace bellows::recommender {

namespace {

constexpr std::int64_t kFormat = 1;

constexpr std::string_view kFileName = "checkpoint file";

}  // namespace

std::string checkpoint_json(const SavedWorkloads& saved) {
  // Each state is a JSON string rather than an object, because the parser could change its numbers
  // by an ulp.
  std::string text = R"({"version":1,"workloads":{)";
  bool is_first = true;
  for (const auto& [id, states] : saved) {
    text +=
        (is_first ? "\n" : ",\n") + boost::json::serialize(boost::json::string(id.text())) + ":{";
    is_first = false;
    std::string between;
    for (const auto& [policy, state] : states) {
      text += between + "\n" + boost::json::serialize(boost::json::string(policy)) + ":" +
              boost::json::serialize(boost::json::string(state));
      between = ",";
    }
    text += "}";
  }
  return text + "}}\n";
}

Result<SavedWorkloads> parse_checkpoint(std::string_view text) {
  boost::system::error_code code;
  const boost::json::value value = boost::json::parse({text.data(), text.size()}, code);
  if (code || !value.is_object()) {
    return fail(ErrorKind::kMalformed, "the whole of it", "want one JSON object");
  }
  const boost::json::object& root = value.get_object();
  const boost::json::value* version = root.if_contains("version");
  if (version == nullptr || !version->is_int64() || version->get_int64() != kFormat) {
    return fail(ErrorKind::kUnsupported, "version",
                (version == nullptr ? "missing" : boost::json::serialize(*version)) + ", want 1");
  }
  const boost::json::value* workloads = root.if_contains("workloads");
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
  const Result<std::string> text = sys::read_whole_file(path, kFileName);
  if (!text && text.error().kind() == ErrorKind::kNotFound) return SavedWorkloads{};
  if (!text) return fail(text.error());
  auto saved = parse_checkpoint(*text);
  if (saved) return saved;
  const Error& error = saved.error();
  return fail(error.kind(), "checkpoint file " + path, error.culprit() + ": " + error.message());
}

Result<void> write_checkpoint(const std::string& path, const SavedWorkloads& saved) {
  constexpr mode_t kOwnerOnly = 0600;
  return sys::replace_file(path, checkpoint_json(saved), kFileName, kOwnerOnly);
}

void quarantine(const std::string& path) {
  std::rename(path.c_str(), (path + ".broken").c_str());
}

}  // namespace bellows::recommender
