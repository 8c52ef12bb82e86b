// The texts of the API and of its clients are rejected with a reason, or read; what can be written
// is read back to the same. Reading never throws and always ends.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "base/check.hpp"
#include "base/timestamp_text.hpp"
#include "base/yaml/document_reader.hpp"
#include "kubernetes/core/backoff.hpp"
#include "kubernetes/core/exec_credential.hpp"
#include "kubernetes/core/kubeconfig.hpp"
#include "kubernetes/core/managed_fields.hpp"
#include "kubernetes/core/quantity.hpp"
#include "kubernetes/core/selector.hpp"
#include "kubernetes/core/server_features.hpp"
#include "kubernetes/core/status.hpp"

namespace bellows::kubernetes {
namespace {

void fuzz_small_texts(std::string_view text) {
  if (const auto selector = Selector::parse(text)) {
    const auto again = Selector::parse(selector->text());
    CHECK(again && *again == *selector, "a selector's text is read back");
    selector->matches(StringMap());
  }
  if (const auto quantity = Quantity::parse(text)) {
    CHECK(quantity->milli() < 0 || quantity->milli() >= quantity->units(), "units are larger");
    CHECK(*Quantity::parse(text) == *quantity, "a quantity is one amount");
  }
  if (const auto bytes = from_base64(text)) {
    CHECK(from_base64(to_base64(*bytes)) == *bytes, "base64 is read back");
  }
  if (const auto time = parse_timestamp(text)) {
    CHECK(parse_timestamp(timestamp_text(*time)).has_value(), "a time is read back");
  }
  parse_retry_after(text);
}

void fuzz_documents(std::string_view text) {
  const Status status = parse_status(500, text);
  CHECK(!status_error("x", status).message().empty(), "an error says what is wrong");
  parse_version(text).has_value();
  parse_group_list(text).has_value();
  parse_resource_list(text).has_value();
  manager_of(text, "/spec/replicas").has_value();
  ExecPlugin plugin;
  plugin.command = "token";
  plugin.api_version = "client.authentication.k8s.io/v1";
  if (const auto credential = parse_exec_credential(plugin, text)) {
    CHECK(!credential->token.empty() || !credential->client_key.empty(), "it has a credential");
  }
}

void fuzz_kubeconfig(std::string_view text) {
  const auto document = yaml::parse_document("/home/a/config", text);
  if (!document) return;
  const auto config = Kubeconfig::from({*document, *document});
  if (!config) {
    CHECK(config.error().culprit().find("/home/a/config:") == 0, "an error names file and line");
    return;
  }
  const auto current = config->context();
  if (!current) return;
  CHECK(!current->cluster.server.empty(), "a context has a server");
  const auto named = config->context(current->name);
  CHECK(named && named->name == current->name, "the current context is found by its name");
}

}  // namespace
}  // namespace bellows::kubernetes

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  bellows::kubernetes::fuzz_small_texts(text);
  bellows::kubernetes::fuzz_documents(text);
  bellows::kubernetes::fuzz_kubeconfig(text);
  return 0;
}
