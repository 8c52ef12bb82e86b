#include "kubernetes/core/kubeconfig.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "json/writer.hpp"

namespace bellows::kubernetes {

namespace {

using Kind = DocumentNode::Kind;

/// One map of a kubeconfig; the first problem of a file is kept.
class Entry {
 public:
  Entry(const Document& file, const DocumentNode& node, std::string path,
        std::optional<Error>& problem)
      : file_(&file), node_(&node), path_(std::move(path)), problem_(&problem) {
    if (node.kind != Kind::kMap && node.kind != Kind::kNothing) invalid(node, "", "want a map");
  }

  const DocumentNode* find(std::string_view key) const {
    for (const DocumentMember& member : node_->members) {
      if (member.key == key && member.value.kind != Kind::kNothing) return &member.value;
    }
    return nullptr;
  }

  std::string text(std::string_view key) const {
    const DocumentNode* value = find(key);
    if (value == nullptr) return {};
    if (value->kind != Kind::kText) invalid(*value, key, "want a text");
    return value->text;
  }

  bool flag(std::string_view key) const {
    const DocumentNode* value = find(key);
    if (value == nullptr || value->text == "false") return false;
    if (value->text != "true") invalid(*value, key, "want true or false");
    return true;
  }

  /// Returns a path, resolved relative to the folder of the file.
  std::string path(std::string_view key) const { return resolved(text(key)); }

  std::string resolved(std::string path) const {
    const auto slash = file_->file.rfind('/');
    if (path.empty() || path.front() == '/' || slash == std::string::npos) return path;
    return file_->file.substr(0, slash + 1) + path;
  }

  FileOrData file_or_data(std::string_view file_key) const {
    FileOrData value{.file = path(file_key), .data = {}};
    const std::string data_key = std::string(file_key) + "-data";
    const DocumentNode* data = find(data_key);
    if (data == nullptr || data->text.empty()) return value;
    auto bytes = from_base64(data->text);
    if (!bytes) invalid(*data, data_key, "want base64");  // the value may be a secret
    value.data = std::move(bytes).value_or("");
    return value;
  }

  Entry map(std::string_view key) const {
    static const DocumentNode kNone;
    const DocumentNode* value = find(key);
    return {*file_, value == nullptr ? kNone : *value, path_of(key), *problem_};
  }

  template <class F>
  void each(std::string_view key, F read) const {
    const DocumentNode* value = find(key);
    if (value == nullptr) return;
    if (value->kind != Kind::kList) return invalid(*value, key, "want a list");
    std::size_t index = 0;
    for (const DocumentNode& item : value->items) {
      read(Entry(*file_, item, path_of(key) + "[" + std::to_string(index++) + "]", *problem_));
    }
  }

  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    const DocumentNode* value = find(key);
    if (value == nullptr) return all;
    if (value->kind != Kind::kList) invalid(*value, key, "want a list");
    for (const DocumentNode& item : value->items) {
      if (item.kind != Kind::kText) invalid(item, key, "want texts");
      all.push_back(item.text);
    }
    return all;
  }

 private:
  std::string path_of(std::string_view key) const {
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

  void invalid(const DocumentNode& at, std::string_view key, std::string_view want) const {
    if (*problem_) return;
    problem_->emplace(
        ErrorKind::kInvalidSetting,
        file_->file + ":" + std::to_string(at.line) + ": " + (key.empty() ? path_ : path_of(key)),
        std::string(want));
  }

  const Document* file_;
  const DocumentNode* node_;
  std::string path_;
  std::optional<Error>* problem_;
};

/// Appends YAML's texts as JSON: numbers and words of JSON stay unchanged.
void append_json(const DocumentNode& node, std::string& out) {
  const auto is_plain = [](const std::string& text) {
    return text == "true" || text == "false" || text == "null" ||
           (!text.empty() && text.size() < 16 &&
            text.find_first_not_of("0123456789") == std::string::npos &&
            (text == "0" || text.front() != '0'));
  };
  switch (node.kind) {
    case Kind::kNothing:
      out += "null";
      break;
    case Kind::kText:
      if (is_plain(node.text)) {
        out += node.text;
      } else {
        json::append_string(node.text, out);
      }
      break;
    case Kind::kList:
      out += '[';
      for (const DocumentNode& item : node.items) {
        if (&item != &node.items.front()) out += ',';
        append_json(item, out);
      }
      out += ']';
      break;
    case Kind::kMap:
      out += '{';
      for (const DocumentMember& member : node.members) {
        if (&member != &node.members.front()) out += ',';
        json::append_string(member.key, out);
        out += ':';
        append_json(member.value, out);
      }
      out += '}';
      break;
  }
}

KubeconfigCluster read_cluster(const Entry& from) {
  KubeconfigCluster cluster{.server = from.text("server"),
                            .certificate_authority = from.file_or_data("certificate-authority"),
                            .tls_server_name = from.text("tls-server-name"),
                            .skip_tls_verify = from.flag("insecure-skip-tls-verify"),
                            .proxy_url = from.text("proxy-url"),
                            .exec_config = {}};
  from.each("extensions", [&cluster](const Entry& extension) {
    if (extension.text("name") != "client.authentication.k8s.io/exec") return;
    if (const DocumentNode* config = extension.find("extension")) {
      append_json(*config, cluster.exec_config);
    }
  });
  return cluster;
}

ExecPlugin read_plugin(const Entry& from) {
  ExecPlugin plugin{.api_version = from.text("apiVersion"),
                    .command = from.text("command"),
                    .args = from.texts("args"),
                    .env = {},
                    .install_hint = from.text("installHint"),
                    .provide_cluster_info = from.flag("provideClusterInfo"),
                    .interactive_mode = from.text("interactiveMode")};
  // A command with a slash is a path, a bare one is looked up in PATH (kubectl's rule).
  if (plugin.command.find('/') != std::string::npos) plugin.command = from.resolved(plugin.command);
  from.each("env", [&plugin](const Entry& variable) {
    plugin.env.emplace_back(variable.text("name"), variable.text("value"));
  });
  return plugin;
}

KubeconfigUser read_user(const Entry& from) {
  KubeconfigUser user{.client_certificate = from.file_or_data("client-certificate"),
                      .client_key = from.file_or_data("client-key"),
                      .token = {.file = from.path("tokenFile"), .data = from.text("token")},
                      .username = from.text("username"),
                      .password = from.text("password"),
                      .exec = std::nullopt,
                      .impersonate = from.text("as")};
  if (from.find("exec") != nullptr) user.exec = read_plugin(from.map("exec"));
  return user;
}

template <class T>
const T* find_named(const std::vector<std::pair<std::string, T>>& all, std::string_view name) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [name](const auto& entry) { return entry.first == name; });
  return at == all.end() ? nullptr : &at->second;
}

}  // namespace

Result<Kubeconfig> Kubeconfig::from(const std::vector<Document>& files) {
  Kubeconfig merged;
  for (const Document& file : files) {
    if (!merged.files_.empty()) merged.files_ += ", ";
    merged.files_ += file.file;
    BELLOWS_CHECKED(merged.merge(file));
  }
  return merged;
}

Result<void> Kubeconfig::merge(const Document& file) {
  std::optional<Error> problem;
  const Entry root(file, file.root, "", problem);
  if (current_context_.empty()) current_context_ = root.text("current-context");
  const auto add = [](auto& all, const Entry& entry, auto value) {
    std::string name = entry.text("name");
    if (find_named(all, name) == nullptr) all.emplace_back(std::move(name), std::move(value));
  };
  root.each("clusters",
            [&](const Entry& entry) { add(clusters_, entry, read_cluster(entry.map("cluster"))); });
  root.each("users", [&](const Entry& entry) { add(users_, entry, read_user(entry.map("user"))); });
  root.each("contexts", [&](const Entry& entry) {
    const Entry context = entry.map("context");
    add(contexts_, entry,
        ContextEntry{.cluster = context.text("cluster"),
                     .user = context.text("user"),
                     .ns = context.text("namespace")});
  });
  if (problem) return fail(*std::move(problem));
  return {};
}

Result<KubeconfigContext> Kubeconfig::context(std::string_view name) const {
  const auto invalid = [this](std::string message) {
    return fail(ErrorKind::kInvalidSetting, files_, std::move(message));
  };
  const std::string wanted(name.empty() ? std::string_view(current_context_) : name);
  if (wanted.empty()) return invalid("no current-context; want --context or one in the file");
  const ContextEntry* context = find_named(contexts_, wanted);
  if (context == nullptr) {
    std::string known;
    for (const auto& [one, entry] : contexts_) known += (known.empty() ? "" : ", ") + one;
    return invalid("context \"" + wanted + "\": unknown; want " +
                   (known.empty() ? "one that the file has, it has none" : "one of " + known));
  }
  const KubeconfigCluster* cluster = find_named(clusters_, context->cluster);
  if (cluster == nullptr || cluster->server.empty()) {
    return invalid("context \"" + wanted + "\": cluster \"" + context->cluster + "\" " +
                   (cluster == nullptr ? "is not in the file" : "has no server"));
  }
  const KubeconfigUser* user = find_named(users_, context->user);
  if (user == nullptr && !context->user.empty()) {
    return invalid("context \"" + wanted + "\": user \"" + context->user + "\" is not in the file");
  }
  return KubeconfigContext{.name = wanted,
                           .cluster_name = context->cluster,
                           .user_name = context->user,
                           .ns = context->ns,
                           .cluster = *cluster,
                           .user = user == nullptr ? KubeconfigUser() : *user};
}

}  // namespace bellows::kubernetes
