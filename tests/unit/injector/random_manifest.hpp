// Manifests in any style that YAML allows, made from a number.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace bellows::injector {

/// A Deployment with one HTTP port, and perhaps its Service: in lines or brackets, with comments,
/// blank lines, any indentation, optional fields and any order of keys.
class RandomManifest {
 public:
  explicit RandomManifest(std::uint64_t seed) : random_(seed) {}

  std::string text() {
    const bool is_crlf = chance(8);
    std::string made = comment(0) + object(deployment(), 0);
    if (chance(2)) made += "---\n" + comment(0) + object(service(), 0) + comment(0);
    if (is_crlf) made = with_crlf(made);
    if (chance(5)) made.pop_back();
    return made;
  }

 private:
  struct Value;
  using Members = std::vector<std::pair<std::string, Value>>;
  struct Value {
    std::string scalar = {};
    std::vector<std::pair<std::string, Value>> members = {};
    std::vector<Value> items = {};
  };

  bool chance(std::uint64_t of) { return random_.next() % of == 0; }
  std::size_t up_to(std::size_t most) {
    return static_cast<std::size_t>(random_.next() % (most + 1));
  }

  static Value plain(std::string text) { return {.scalar = std::move(text)}; }
  static Value map(Members members) { return {.members = std::move(members)}; }
  static Value list(std::vector<Value> items) { return {.items = std::move(items)}; }

  Value shuffled(Members members) {
    for (std::size_t i = members.size(); i > 1; --i)
      std::swap(members[i - 1], members[up_to(i - 1)]);
    return map(std::move(members));
  }

  Value port() { return has_name_ && chance(2) ? plain("http") : plain("8080"); }

  Value probe() {
    if (chance(5)) return map({{"exec", map({{"command", list({plain("true")})}})}});
    const char* const action = chance(3) ? "tcpSocket" : "httpGet";
    Members members = {{"port", port()}};
    if (std::string(action) == "httpGet" && chance(2)) members.emplace_back("path", plain("/up"));
    Members whole = {{action, map(members)}};
    if (chance(2)) whole.emplace_back("periodSeconds", plain("3"));
    return shuffled(std::move(whole));
  }

  Value container() {
    has_name_ = chance(2);
    Members declared = {{"containerPort", plain("8080")}};
    if (has_name_) declared.emplace_back("name", plain(chance(2) ? "http" : "\"http\""));
    Members members = {{"name", plain("app")},
                       {"image", plain("registry.example/a:1")},
                       {"ports", list({shuffled(std::move(declared))})}};
    if (chance(2)) members.emplace_back("readinessProbe", probe());
    if (chance(2)) members.emplace_back("livenessProbe", probe());
    if (chance(3)) members.emplace_back("startupProbe", probe());
    if (chance(3))
      members.emplace_back("lifecycle", chance(3) ? map({}) : map({{"postStart", probe()}}));
    if (chance(3)) members.emplace_back("args", list({plain("'a # b'"), plain("\"c: {d\"")}));
    if (chance(3))
      members.emplace_back("env", list({map({{"name", plain("A")}, {"value", plain("don't")}})}));
    return shuffled(std::move(members));
  }

  Value volumes() {
    if (chance(4)) return plain("null");
    if (chance(4)) return plain("[]");
    return list({map({{"name", plain("data")}, {"emptyDir", map({})}})});
  }

  Value deployment() {
    std::vector<Value> containers = {container()};
    if (chance(3)) containers.push_back(map({{"name", plain("log")}, {"image", plain("b")}}));
    Members spec = {{"containers", list(std::move(containers))}};
    if (chance(3)) spec.emplace_back("terminationGracePeriodSeconds", plain("90"));
    if (chance(4)) spec.emplace_back("initContainers", list({map({{"name", plain("init")}})}));
    if (chance(3)) spec.emplace_back("volumes", volumes());
    Members metadata = {{"labels", map({{"app", plain("shop")}})}};
    if (chance(3)) metadata.emplace_back("annotations", map({{"a.b/c", plain("d")}}));
    if (chance(6)) metadata.emplace_back("name", plain("x"));
    const Value pod = shuffled(
        {{"metadata", shuffled(std::move(metadata))}, {"spec", shuffled(std::move(spec))}});
    return shuffled({{"apiVersion", plain("apps/v1")},
                     {"kind", plain("Deployment")},
                     {"metadata", map({{"name", plain("shop")}})},
                     {"spec", shuffled({{"replicas", plain("2")}, {"template", pod}})}});
  }

  Value service() {
    Members ports = {{"port", plain("80")}, {"targetPort", plain("8080")}};
    Members metadata = {{"name", plain("shop")}};
    if (chance(3)) metadata.emplace_back("annotations", map({}));
    return shuffled({{"apiVersion", plain("v1")},
                     {"kind", plain("Service")},
                     {"metadata", map(std::move(metadata))},
                     {"spec", map({{"selector", map({{"app", plain("shop")}})},
                                   {"ports", list({shuffled(std::move(ports))})}})}});
  }

  std::string comment(std::size_t column) {
    std::string lines;
    if (chance(6)) lines += "\n";
    if (chance(5)) lines += std::string(column, ' ') + "# comment: {of \"some 'kind\n";
    return lines;
  }
  std::string tail() { return chance(6) ? " # tail\n" : "\n"; }

  /// In brackets, perhaps over several lines.
  std::string flow(const Value& value, std::size_t column) {
    if (!value.scalar.empty()) return value.scalar;
    const bool is_map = value.items.empty();
    std::string made = is_map ? "{" : "[";
    const std::string gap = chance(4) ? "\n" + std::string(column + 2, ' ') : "";
    const auto add = [&](const std::string& text) {
      made += (made.size() > 1 ? ", " : "") + gap + text;
    };
    for (const auto& [key, member] : value.members) add(key + ": " + flow(member, column + 2));
    for (const Value& item : value.items) add(flow(item, column + 2));
    return made + (chance(4) ? " " : "") + (is_map ? "}" : "]");
  }

  /// What follows a key or a dash.
  std::string rest(const Value& value, std::size_t column) {
    if (!value.scalar.empty()) return " " + value.scalar + tail();
    if (value.members.empty() && value.items.empty()) return " {}" + tail();
    if (chance(10)) return " " + flow(value, column) + tail();
    return tail() + (value.items.empty() ? object(value, column + 1 + up_to(3))
                                         : sequence(value, column + up_to(3)));
  }

  std::string object(const Value& value, std::size_t column) {
    std::string made;
    for (const auto& [key, member] : value.members) {
      made += comment(column) + std::string(column, ' ') + key + ":" + rest(member, column);
    }
    return made;
  }

  std::string sequence(const Value& value, std::size_t column) {
    std::string made;
    for (const Value& item : value.items) {
      made += comment(column) + std::string(column, ' ') + "-";
      if (item.members.empty()) {
        made += rest(item, column);
        continue;
      }
      const std::size_t inner = column + 2 + up_to(2);
      const std::string lines = object(item, inner);
      // The first key on the line of its dash, if nothing stands before it.
      const bool is_compact = lines[inner] != '#' && lines[0] == ' ' && !chance(6);
      made +=
          is_compact ? std::string(inner - column - 1, ' ') + lines.substr(inner) : "\n" + lines;
    }
    return made;
  }

  static std::string with_crlf(const std::string& text) {
    std::string made;
    for (const char c : text) made += c == '\n' ? "\r\n" : std::string(1, c);
    return made;
  }

  SeededRandom random_;
  bool has_name_ = false;
};

}  // namespace bellows::injector
