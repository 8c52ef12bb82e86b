#include "injector/service/pod_settings.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.hpp"
#include "command/input.hpp"
#include "config/websocket_url.hpp"

namespace bellows::injector {

namespace {

using Settings = PodSettings;
using Schema = config::Schema<PodSettings>;

std::optional<std::string> read_url(std::string_view text) {
  if (!text.empty() && !config::parse_websocket_url(text)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> read_amounts_text(std::string_view text) {
  if (!read_amounts(text)) return std::nullopt;
  return std::string(text);
}

constexpr const char* kImageText =
    "letters, digits and ._-/:@, as in registry.example/queue-proxy:1.2";

std::optional<std::string> read_image(std::string_view text) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0; };
  const auto is_valid = [&](unsigned char c) {
    return is_of_name(c) ||
           std::string_view("._-/:@").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const bool is_image = !text.empty() && is_of_name(text.front()) && is_of_name(text.back()) &&
                        std::ranges::all_of(text, is_valid);
  return is_image ? std::optional(std::string(text)) : std::nullopt;
}

std::optional<std::string> read_file_name(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(std::string(text));
}

void add_image(Schema& schema) {
  schema.add(&Settings::image,
             {.name = "image",
              .format = {.want = std::string("an image: ") + kImageText, .read = read_image},
              .help = "Image of the queue-proxy. Also the variable BELLOWS_IMAGE.",
              .unset = "the first line of --image-file, or " + image_name("queue-proxy")});
  schema.add(&Settings::image_file,
             {.name = "image-file",
              .format = {.want = "a FILE", .read = read_file_name},
              .help = "FILE whose first line is the image, as its build wrote it. Also the "
                      "variable BELLOWS_IMAGE_FILE. --image wins over it.",
              .unset = "no file"});
}

void add_resources(Schema& schema) {
  const config::TextFormat format = {.want = std::string(kWantAmounts), .read = read_amounts_text};
  schema.add(&Settings::requests, {.name = "requests",
                                   .format = format,
                                   .help = "Requests of the queue-proxy's container, unless the "
                                           "annotation inject.bellows.dev/requests sets them.",
                                   .unset = "cpu=25m,memory=16Mi"});
  schema.add(&Settings::limits,
             {.name = "limits",
              .format = format,
              .help = "Its limits, unless the annotation inject.bellows.dev/limits sets them. A "
                      "CPU limit is for quotas; it delays requests.",
              .unset = "memory: queue-bytes and 64Mi"});
}

void add_sidecar(Schema& schema) {
  schema.add(
      &Settings::autoscaler,
      {.name = "autoscaler",
       .format = {.want = "ws://HOST:PORT or ws://HOST:PORT/PATH, or nothing", .read = read_url},
       .help = "WebSocket that receives the stats of the replicas. Set it if the autoscaler "
               "is not in the namespace bellows-system."});
  schema.add_choice(
      &Settings::native_sidecar,
      {{"auto", NativeSidecar::kAuto},
       {"true", NativeSidecar::kTrue},
       {"false", NativeSidecar::kFalse}},
      {.name = "native-sidecar",
       .help = "true: an init container that always restarts (Kubernetes 1.29 and later; older "
               "servers drop the field, and their pods would wait for ever). auto: by the version "
               "of the cluster; `bellows inject` reads it only with --context or --kubeconfig, "
               "and takes false without them."});
}

void add_cluster(Schema& schema) {
  schema.group("Cluster");
  schema.add(&Settings::context,
             {.name = "context",
              .help = "Context of the kubeconfig, for the version of the cluster.",
              .unset = "the current context"});
  schema.add(&Settings::kubeconfig, {.name = "kubeconfig",
                                     .help = "FILE with the address and the credentials.",
                                     .unset = "$KUBECONFIG, ~/.kube/config, or in a pod its "
                                              "service account"});
}

/// Returns the image of --image, else of the file, else our own.
Result<std::string> image_of(const PodSettings& settings) {
  if (!settings.image.empty()) return settings.image;
  if (settings.image_file.empty()) return image_name("queue-proxy");
  BELLOWS_TRY(const std::string text, command::read_input(settings.image_file, "the image file"));
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  if (const auto image = read_image(line)) return *image;
  return fail(ErrorKind::kMalformed, settings.image_file,
              "\"" + line + "\": want an image as the first line: " + kImageText);
}

}  // namespace

Result<InjectOptions> PodSettings::options(bool is_native) const {
  InjectOptions options;
  BELLOWS_TRY(options.image, image_of(*this));
  options.autoscaler = autoscaler;
  BELLOWS_TRY(options.resources.requests, read_amounts(requests));
  BELLOWS_TRY(options.resources.limits, read_amounts(limits));
  options.is_native = is_native;
  return options;
}

const Schema& pod_schema() {
  static const Schema schema = [] {
    Schema made;
    made.group("Pods");
    add_image(made);
    add_resources(made);
    add_sidecar(made);
    add_cluster(made);
    return made;
  }();
  return schema;
}

}  // namespace bellows::injector
